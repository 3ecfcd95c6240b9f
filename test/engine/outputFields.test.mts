import type { INodeParameters } from 'n8n-workflow';
import { byId, type NodeRun, WELCOME } from './harness.mts';
import { CONTINUE, SharedHarness } from './sharedHarness.mts';

/** Selected Fields on n8n's engine; `test/runner` has how they are selected. */
const service = new SharedHarness({ contacts: 30, tickets: 5 });

const select = async (
	names: unknown,
	{ options, ...parameters }: INodeParameters,
	run: NodeRun = {},
) =>
	await service.run(
		{
			...parameters,
			options: { ...(options as INodeParameters), outputFieldNames: names as string },
		},
		run,
	);

const TICKETS = { resource: 'ticket', operation: 'getAll', returnAll: true };
const CONTACTS = { resource: 'contact', operation: 'getAll', returnAll: true };

test('every row of a list has the selected fields only, also those of lists within it', async () => {
	const { json, items, hints } = await select('name, customFields.label', CONTACTS);
	// Three more have no address.
	expect(json).toHaveLength(33);
	expect(json[0]).toStrictEqual({ name: expect.any(String), customFields: [] });
	expect(json[32]).toStrictEqual({ name: expect.any(String), customFields: [{ label: 'city' }] });
	expect(items[32]?.pairedItem).toStrictEqual({ item: 0 });
	expect(hints).toStrictEqual([]);
});

/** A message, sent once, for which the service needs no session. */
const message = (sendOnceKey: string) =>
	service.message({ options: { takeOver: true, sendOnceKey } });

test('a single record, and what this node adds to it', async () => {
	const { json } = await select('id, sent', { ...message('A'), text: 'Hi' });
	expect(json).toStrictEqual([{ id: expect.any(String), sent: true }]);
});

test('an item for which nothing was sent says so', async () => {
	const template = { ...message('order 1'), type: 'template', ...WELCOME };
	const { json } = await select('id', template, { items: [{}, {}] });
	expect(json).toStrictEqual([
		{ id: expect.any(String), sent: true },
		{ sent: false, sendOnceKey: 'order 1', reason: expect.any(String) },
	]);
});

test('nothing is rejected before anything is sent', async () => {
	const { error } = await select('={{ null }}', TICKETS);
	expect([error?.message, service.requests]).toStrictEqual(['Selected Fields is empty', []]);
});
test('an item that fails keeps its message', async () => {
	const { json } = await select(
		'title',
		{ resource: 'ticket', operation: 'get', ticketId: byId('={{ $json.id }}') },
		{ items: [{ id: '1001' }, { id: 'nobody' }], ...CONTINUE },
	);
	expect(json).toStrictEqual([
		{ title: expect.any(String) },
		{ error: expect.stringContaining('rejected "Get ticket"') },
	]);
});
