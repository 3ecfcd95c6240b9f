/** Which items of a node run one after another: those that change the same record, however it is written. */
import type { INodeParameters } from 'n8n-workflow';
import { allFields, type Operation } from '../../nodes/ConversationalMessaging/runner/operation.ts';
import { byId } from '../../tools/engine/workflows.mts';
import { operations } from '../support/operationList.mts';
import { parametersOf } from '../support/parameters.mts';

const NUMBER = '12025550143';
const WRITTEN = ['+1 (202) 555-0143', `+${NUMBER}`, NUMBER];
const contacts = WRITTEN.map((id): INodeParameters => ({ contactId: byId(id) }));
const recipients = [
	...WRITTEN.map(byId),
	// As the service stores it.
	{ __rl: true, mode: 'list', value: `+${NUMBER}` },
].map((to): INodeParameters => ({ channel: 'WHATSAPP', to }));
const addresses = [
	...WRITTEN.map((waId): INodeParameters => ({ waId })),
	{ waId: NUMBER, igId: 'ig-1' },
];
const numbers = ['1001', '#1001', '# 1001'].map((id): INodeParameters => ({ ticketId: byId(id) }));
const one = (name: string, value = 'R1'): INodeParameters[] => [
	{ [name]: byId(value) },
	{ [name]: byId(` ${value} `) },
];

/** For each operation that writes: one record, as several items may have it, and another record. */
const RECORDS: Record<string, [same: INodeParameters[], other: INodeParameters]> = {
	...Object.fromEntries(
		['assign', 'deescalate', 'escalate', 'unassign'].map((name) => [
			`chat: ${name}`,
			[one('chatId'), { chatId: byId('R2') }],
		]),
	),
	'contact: create': [addresses, { waId: '12025550144' }],
	'contact: upsert': [addresses, { igId: 'ig-1' }],
	...Object.fromEntries(
		[
			'contact: update',
			'contactField: add',
			'contactField: delete',
			'contactField: set',
			'contactField: update',
			'session: end',
			'session: start',
			'session: takeOver',
			'ticket: create',
		].map((name) => [name, [contacts, { contactId: byId('12025550144') }]]),
	),
	'flow: trigger': [recipients, { to: byId('12025550144') }],
	'message: send': [recipients, { channel: 'WHATSAPP', to: byId('12025550144') }],
	'message: sendAndWait': [recipients, { channel: 'INSTAGRAM', to: byId(NUMBER) }],
	...Object.fromEntries(
		['addContacts', 'delete', 'removeContacts'].map((name) => [
			`segment: ${name}`,
			[one('segmentId'), { segmentId: byId('R2') }],
		]),
	),
	'segment: create': [[{ name: 'A' }, { name: ' A ' }], { name: 'B' }],
	'template: create': [[{ name: 'a' }, { name: ' a ' }], { name: 'b' }],
	'template: delete': [one('templateId'), { templateId: byId('R2') }],
	'ticket: addNote': [numbers, { ticketId: byId('1002') }],
	'ticket: update': [numbers, { ticketId: byId('1002') }],
};

const named = new Map<string, Operation>(
	operations.map(([name, , operation]) => [name, operation]),
);

function keyOf(name: string, values: INodeParameters): string | undefined {
	const operation = named.get(name) as Operation;
	return operation.orderingKey?.(parametersOf(allFields(operation), values));
}

test.each(Object.entries(RECORDS))(
	'%s: items for one record are in order, those for others are not',
	(name, [same, other]) => {
		const [key, ...keys] = same.map((values) => keyOf(name, values));
		expect(key).toStrictEqual(expect.stringMatching(/./));
		expect(keys).toStrictEqual(keys.map(() => key));
		expect(keyOf(name, other)).not.toBe(key);
	},
);

test('templates are synced one after another, whichever channel is chosen', () => {
	expect(keyOf('template: sync', {})).toBe(keyOf('template: sync', { channelId: byId('C1') }));
	expect(keyOf('template: sync', {})).toStrictEqual(expect.stringMatching(/./));
});

test('tickets without a contact need no order', () => {
	expect(keyOf('ticket: create', {})).toBeUndefined();
});

test('every operation that writes is tested here, except those that make a job of all items', () => {
	const writing = operations.filter(([, , { endpoint }]) => !endpoint.startsWith('GET '));
	expect(writing.map(([name]) => name).filter((name) => !(name in RECORDS))).toStrictEqual([
		'broadcast: create',
		'contactImport: start',
		'template: sync',
	]);
});
