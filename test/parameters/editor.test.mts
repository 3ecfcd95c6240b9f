import type { ILoadOptionsFunctions } from 'n8n-workflow';
import { chosenChannel } from '../../nodes/ConversationalMessaging/parameters/editor.ts';

test.each([
	[{ channelId: 'own', options: { channelId: 'option' } }, 'own'],
	[{ options: { channelId: { mode: 'list', value: 'option' } } }, 'option'],
	[{ channelId: '', options: { channelId: 'option' } }, undefined],
	[{}, undefined],
])('of the parameters %j, the channel is %j', (parameters: Record<string, unknown>, channel) => {
	const context = { getCurrentNodeParameter: (name: string) => parameters[name] };
	expect(chosenChannel(context as unknown as ILoadOptionsFunctions)).toBe(channel);
});
