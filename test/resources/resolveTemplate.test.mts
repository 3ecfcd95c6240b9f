import type { ServiceClient } from '../../nodes/ConversationalMessaging/api/client.ts';
import { resolveTemplate } from '../../nodes/ConversationalMessaging/resources/shared/resolveTemplate.ts';
import { OperationContext } from '../../nodes/ConversationalMessaging/runner/operationContext.ts';
import { serviceOf } from '../api/service.mts';

const contextOf = (client: ServiceClient) =>
	new OperationContext(client, {
		endpoint: 'POST /messages',
		action: 'Send message',
		errorHint: () => 'The next step for a message.',
	});

describe('a template that is known by its ID', () => {
	const templates = { data: [{ hsm_id: 't1', name: 'welcome', language: 'en_US' }] };
	const welcome = { id: 't1', name: 'welcome', language: 'en_US' };
	const GENERAL = 'Check the value, or the expression that returns it.';

	test('is looked up once for all items with the same channel', async () => {
		const { client, queries } = serviceOf(() => templates);
		const context = contextOf(client);
		for (const channel of ['ch1', 'ch1', 'ch2', undefined, undefined])
			expect(await resolveTemplate(context, { id: 't1' }, channel)).toEqual(welcome);
		expect(queries).toEqual([
			{ limit: '1000', channelId: 'ch1' },
			{ limit: '1000', channelId: 'ch2' },
			{ limit: '1000' },
		]);
	});

	test('with its name and language, needs no request', async () => {
		const { client, requests } = serviceOf(() => undefined);
		const chosen = { name: 'welcome', language: 'de' };
		expect(await resolveTemplate(contextOf(client), chosen, 'ch1')).toEqual(chosen);
		expect(requests).toEqual([]);
	});

	test.each([
		[undefined, 'Template expects the ID of an existing template, but got "t2"'],
		['ch1', 'Template expects the ID of an existing template in the chosen channel, but got "t2"'],
	])('but does not exist, is reported (channel %s)', async (channel, message) => {
		const resolved = resolveTemplate(
			contextOf(serviceOf(() => templates).client),
			{ id: 't2' },
			channel,
		);
		await expect(resolved).rejects.toMatchObject({ message, description: GENERAL });
	});

	test('but is not in a list that leaves templates out, is reported with another way', async () => {
		const client = serviceOf(() => ({ ...templates, meta: { total: 240 } })).client;
		await expect(resolveTemplate(contextOf(client), { id: 't2' }, 'ch1')).rejects.toMatchObject({
			message: 'The service lists only 1 of 240 templates, and the template t2 is not among them',
			description: expect.stringMatching(/^Under By ID, enter the ID, the name and the language/),
		});
	});

	test('cannot be found if the list is rejected; the next item tries again', async () => {
		const { client } = serviceOf((_query, request) => (request === 1 ? 403 : templates));
		const context = contextOf(client);
		await expect(resolveTemplate(context, { id: 't1' }, undefined)).rejects.toThrow(
			'The service rejected "List templates" (403 Forbidden)',
		);
		expect(await resolveTemplate(context, { id: 't1' }, undefined)).toEqual(welcome);
	});
});
