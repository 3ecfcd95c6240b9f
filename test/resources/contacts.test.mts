/** Operations on a contact that need several requests: which ones, and when. */
import { NodeApiError } from 'n8n-workflow';
import type { ServiceClient } from '../../nodes/ConversationalMessaging/api/client.ts';
import { upsert } from '../../nodes/ConversationalMessaging/resources/contact/upsert.ts';
import { set } from '../../nodes/ConversationalMessaging/resources/contactField/set.ts';
import type { Operation } from '../../nodes/ConversationalMessaging/runner/operation.ts';
import {
	readVariants,
	sendToContact,
} from '../../nodes/ConversationalMessaging/resources/shared/numberVariants.ts';
import { NODE } from '../support/node.mts';
import { answering } from '../support/service.mts';
import { parametersOf } from '../support/parameters.mts';
import { contextOf, runOne } from '../support/runOne.mts';
import { useFakeTime } from '../support/time.mts';

useFakeTime();

const GET_CONTACT = { endpoint: 'GET /contacts/{id}', action: 'Get contact' } as const;

const run = async (operation: Operation, client: ServiceClient, values: Record<string, unknown>) =>
	await runOne(operation, client, parametersOf(operation.fields, values));

const contact = (id: string) => ({ success: true, data: { id } });

describe('a request for a contact', () => {
	test.each([
		['not found in either form', '12025550143', [404, 404]],
		['not found by a service that rejects a plus', '12025550143', [404, 400]],
		['looked up with a token that may not read contacts', '12025550143', [404, 403]],
	])('%s is rejected', async (_name, id, statuses) => {
		const { client, requests } = answering(...statuses);
		await expect(sendToContact(contextOf(client, GET_CONTACT), id)).rejects.toMatchObject({
			httpCode: String(statuses[0]),
		});
		expect(requests).toHaveLength(statuses.length);
	});
});

test('a list has the rows of all forms of a number, each once, up to the limit', async () => {
	const rows: Record<string, unknown[]> = {
		'525512345678': [{ id: 1 }, { no: 'id' }, { chatId: 2, unread: 1 }],
		'+525512345678': [{ id: 1 }, { chatId: 2, unread: 3 }],
		'+5215512345678': [{ id: 3 }, { no: 'id' }],
	};
	const read = jest.fn(async (waId?: string) => rows[waId ?? ''] ?? []);
	const all = await readVariants('525512345678', Infinity, read);
	expect(all).toStrictEqual([{ id: 1 }, { no: 'id' }, { chatId: 2, unread: 3 }, { id: 3 }]);
	expect(read).toHaveBeenCalledTimes(4);
	expect(await readVariants('525512345678', 3, read)).toHaveLength(3);
	expect(read).toHaveBeenCalledTimes(5);
});

test.each([
	['the usual one', { '525512345678': 404 }, 3],
	['the others', { '+525512345678': 400, '5215512345678': 404, '+5215512345678': 422 }, 1],
	[
		'all of them',
		{ '525512345678': 404, '+525512345678': 400, '5215512345678': 404, '+5215512345678': 422 },
		404,
	],
	['the usual one because of something else', { '525512345678': 400 }, 400],
])(
	'a list by number in which the service finds no contact for %s',
	async (_what, statuses: Record<string, number>, expected) => {
		const read = async (waId = '') => {
			const httpCode = statuses[waId];
			if (httpCode === undefined) return [{ id: waId }];
			throw new NodeApiError(NODE, {}, { message: 'No', httpCode: String(httpCode) });
		};
		const found = await readVariants('525512345678', Infinity, read).then(
			(rows) => rows.length,
			(error: unknown) => Number((error as NodeApiError).httpCode),
		);
		expect(found).toBe(expected);
	},
);

test('the rows of one list are returned as they are', async () => {
	const rows = [{ no: 'id' }, { no: 'id' }];
	expect(await readVariants('', Infinity, async () => rows)).toBe(rows);
});

describe('Create or Update', () => {
	const upsertWith = async (client: ServiceClient, values: Record<string, unknown>) =>
		await run(upsert, client, { name: 'Ann', ...values });
	const PHONE = '12025550143';
	const waId = PHONE;

	test('a write that is rejected because of its values is reported: it says nothing about the form', async () => {
		const { client, requests } = answering(404, contact('c1'), 422);
		await expect(upsertWith(client, { waId })).rejects.toMatchObject({ httpCode: '422' });
		expect(requests).toHaveLength(3);
	});

	const customName = { additionalFields: { customName: 'Annie' } };

	test.each([
		['its ID', contact('c1'), 'c1'],
		['its ID under its name', { data: { contact: { id: 'c1' } } }, 'c1'],
		['its address, if the response has no ID', { success: true }, 'i1'],
	])('sends to a new contact what it cannot be created with, by %s', async (_name, made, id) => {
		const { client, requests } = answering(404, made, contact('c1'));
		expect(await upsertWith(client, { igId: 'i1', ...customName })).toStrictEqual([{ id: 'c1' }]);
		expect(requests.slice(1)).toStrictEqual([
			['POST /contacts', { name: 'Ann', igId: 'i1' }],
			[`PATCH /contacts/${id}`, { name: 'Ann', customName: 'Annie' }],
		]);
	});

	test('sends a value to a new contact although another field is cleared', async () => {
		const { client, requests } = answering(404, contact('c1'), contact('c1'));
		await upsertWith(client, {
			igId: 'i1',
			...customName,
			options: { clearFields: ['igUsername'] },
		});
		expect(requests[2]).toStrictEqual([
			'PATCH /contacts/c1',
			{ name: 'Ann', customName: 'Annie', igUsername: '' },
		]);
	});

	test('says that the contact was created if what is sent to it after that is rejected', async () => {
		const { client } = answering(404, contact('c1'), 403);
		await expect(upsertWith(client, { igId: 'i1', ...customName })).rejects.toMatchObject({
			message: expect.stringMatching(/\(403.*\. Already written: the new contact c1$/),
		});
	});

	test.each([403, 404])(
		'once all is written, a contact that cannot be read, yet or at all, is as it was written: %s',
		async (status) => {
			const { client, requests } = answering(404, contact('c1'), { success: true }, status);
			expect(await upsertWith(client, { igId: 'i1', segmentId: 's1' })).toStrictEqual([
				{ id: 'c1' },
			]);
			expect(requests).toHaveLength(4);
		},
	);

	test('clears fields of a contact that exists; a new one has nothing to clear', async () => {
		const options = { clearFields: ['customName'] };
		const existing = answering(contact('c1'));
		await upsertWith(existing.client, { igId: 'i1', options });
		expect(existing.requests).toStrictEqual([
			['PATCH /contacts/i1', { name: 'Ann', igId: 'i1', customName: '' }],
		]);
		const created = answering(404, contact('c1'));
		await upsertWith(created.client, { igId: 'i1', options });
		expect(created.requests).toHaveLength(2);
	});

	test('reports the conflict if there is still no such contact', async () => {
		const { client } = answering(404, 409, 404);
		await expect(upsertWith(client, { igId: 'i1' })).rejects.toMatchObject({ httpCode: '409' });
	});
});

describe('Set a contact field', () => {
	const setWith = async (client: ServiceClient, values: Record<string, unknown> = {}) =>
		await run(set, client, { contactId: 'c1', label: 'City', value: 'Berlin', ...values });

	test('a number that a field without an ID has already needs no change', async () => {
		const { client } = answering({
			data: { id: 'c1', customFields: [{ label: 'City', value: 7 }] },
		});
		expect(await setWith(client, { value: '7' })).toMatchObject([{ unchanged: true }]);
	});
});
