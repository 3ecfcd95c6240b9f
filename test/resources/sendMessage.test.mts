/** When the fallback template is sent although the service rejects a message with a status of success. */
import { send } from '../../nodes/ConversationalMessaging/resources/message/send.ts';
import { prepare } from '../../nodes/ConversationalMessaging/runner/prepare.ts';
import { answering } from '../api/service.mts';
import { parametersOf } from '../parameters/parameters.mts';
import { jsonOf } from '../runner/outputs.mts';

const values = {
	channel: 'WHATSAPP',
	to: '12025550143',
	type: 'text',
	text: 'Hello',
	options: { templateId: 't1 welcome en_US' },
};
const prepared = prepare(send, parametersOf(send.fields, values));

test('a closed window that is reported with a status of success is a closed window', async () => {
	const closed = { success: false, error: 'The 24-hour window has expired' };
	const { client, requests } = answering(closed, { success: true, data: { id: 'm1' } });
	expect(jsonOf(await prepared.run(client, []))).toEqual([
		{ id: 'm1', sentAs: 'fallbackTemplate' },
	]);
	expect(requests).toHaveLength(2);
});

test('any other rejection with a status of success is reported', async () => {
	const { client, requests } = answering({ success: false, error: 'text is too long' });
	await expect(prepared.run(client, [])).rejects.toThrow('text is too long');
	expect(requests).toHaveLength(1);
});
