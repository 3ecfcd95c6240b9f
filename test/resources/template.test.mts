import { resolveTemplate } from '../../nodes/ConversationalMessaging/resources/shared/template.ts';
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
	const GENERAL = 'Check the value, or the expression that returns it.';

	test.each([
		[undefined, 'Template expects the ID of an existing template, but got "t2"'],
		['ch1', 'Template expects the ID of an existing template in the chosen channel, but got "t2"'],
	])('but does not exist, is reported (channel %s)', async (channel, message) => {
		const resolved = resolveTemplate(
			contextOf(serviceOf(() => templates).client, SEND),
			{ id: 't2' },
			channel,
		);
		await expect(resolved).rejects.toMatchObject({ message, description: GENERAL });
	});

	test('but is not in a list that leaves templates out, is reported with another way', async () => {
		const client = serviceOf(() => ({ ...templates, meta: { total: 240 } })).client;
		await expect(
			resolveTemplate(contextOf(client, SEND), { id: 't2' }, 'ch1'),
		).rejects.toMatchObject({
			message: 'The service lists only 1 of 240 templates, and the template t2 is not among them',
			description: expect.stringMatching(/^Under By Name, enter the name and the language/),
		});
	});
});
