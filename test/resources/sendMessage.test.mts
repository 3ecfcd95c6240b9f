/** A message with options, and a rejection that has a status of success. */
import type { ServiceClient } from '../../nodes/ConversationalMessaging/api/client.ts';
import { send } from '../../nodes/ConversationalMessaging/resources/message/send.ts';
import { answering } from '../support/service.mts';
import { parametersOf } from '../support/parameters.mts';
import { runOne } from '../support/runOne.mts';
import { useFakeTime } from '../support/time.mts';

useFakeTime();

const values = {
	channel: 'WHATSAPP',
	to: '12025550143',
	type: 'text',
	text: 'Hello',
	options: { templateId: 't1 welcome en_US' },
};
const sending = async (client: ServiceClient) =>
	await runOne(send, client, parametersOf(send.fields, values));

test('a rejection with a status of success is reported, and no fallback template is sent', async () => {
	const closed = { success: false, error: 'The 24-hour window has expired' };
	const { client, requests } = answering({ data: [] }, closed);
	await expect(sending(client)).rejects.toThrow('The 24-hour window has expired');
	expect(requests).toHaveLength(2);
});

test.each([true, false])(
	'the preview of links is sent as it was chosen: %j',
	async (previewUrl) => {
		const { client, requests } = answering({ success: true, data: { id: 'm1' } });
		const parameters = parametersOf(send.fields, { ...values, options: { previewUrl } });
		await runOne(send, client, parameters);
		expect(requests).toStrictEqual([
			[
				'POST /messages',
				{ to: '12025550143', channel: 'WHATSAPP', type: 'text', text: 'Hello', previewUrl },
			],
		]);
	},
);
