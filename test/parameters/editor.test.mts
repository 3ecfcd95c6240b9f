import type { ILoadOptionsFunctions } from 'n8n-workflow';
import {
	chosenChannel,
	chosenInEditor,
} from '../../nodes/ConversationalMessaging/parameters/editor.ts';

test.each([
	[{ mode: 'list', value: ' c1 ' }, 'c1'],
	['c1', 'c1'],
	[{ mode: 'id', value: '' }, undefined],
	[undefined, undefined],
	[{ mode: 'id', value: '={{ $json.id }}' }, undefined],
	[{ mode: 'id', value: 'a=b' }, 'a=b'],
])('in the editor, the locator %j has the value %j', (locator, value) => {
	expect(chosenInEditor(locator)).toBe(value);
});

test.each([
	[{ channelId: 'own', options: { channelId: 'option' } }, 'own'],
	[{ options: { channelId: { mode: 'list', value: 'option' } } }, 'option'],
	[{ channelId: '', options: { channelId: 'option' } }, undefined],
	[{ options: {} }, undefined],
	[{}, undefined],
])('of the parameters %j, the channel is %j', (parameters: Record<string, unknown>, channel) => {
	const context = { getCurrentNodeParameter: (name: string) => parameters[name] };
	expect(chosenChannel(context as unknown as ILoadOptionsFunctions)).toBe(channel);
});
