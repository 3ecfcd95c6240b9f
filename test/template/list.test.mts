import { resolveTemplate } from '../../nodes/ConversationalMessaging/template/list.ts';
import { shown } from '../../nodes/ConversationalMessaging/api/access/shown.ts';
import { serviceOf } from '../support/service.mts';
import { contextOf } from '../support/runOne.mts';
import { useFakeTime } from '../support/time.mts';

useFakeTime();

const SEND = {
	endpoint: 'POST /messages',
	action: 'Send message',
	errorHint: () => shown`The next step for a message.`,
} as const;

describe('a template that is known by its ID', () => {
	const templates = { data: [{ hsm_id: 't1', name: 'welcome', language: 'en_US' }] };
	test.each([
		[undefined, 'Template expects the ID of a template that the service lists, but got "t2"'],
		[
			'ch1',
			'Template expects the ID of a template that the service lists in the chosen channel, but got "t2"',
		],
	])('but is not listed, is reported with another way (channel %s)', async (channel, message) => {
		const resolved = resolveTemplate(
			contextOf(serviceOf(() => templates).client, SEND),
			{ id: 't2' },
			channel,
		);
		await expect(resolved).rejects.toMatchObject({
			message,
			description: expect.stringContaining('enter name and language code under By Name'),
		});
	});
});
