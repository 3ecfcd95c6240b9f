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

test('a rejection with a status of success is reported, and no fallback template is sent', async () => {
	const closed = { success: false, error: 'The 24-hour window has expired' };
	const { client, requests } = answering({ data: [] }, closed);
	const sending = runOne(send, client, parametersOf(send.fields, values));
	await expect(sending).rejects.toThrow('The 24-hour window has expired');
	expect(requests).toHaveLength(2);
});
