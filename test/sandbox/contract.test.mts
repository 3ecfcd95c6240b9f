import { checkRecords, readContract, routesOf } from '../../sandbox/contract.mts';
import { handlers } from '../../sandbox/services/index.mts';
import { operations } from '../support/contractOperations.mts';

test('every endpoint of the contract has a handler, and the sandbox reads all of them', () => {
	const ids = operations.map(({ id }) => id).toSorted();
	expect(Object.keys(handlers).toSorted()).toStrictEqual(ids);
	expect([...routesOf(readContract()).keys()].toSorted()).toStrictEqual(ids);
});

describe('records of the contract are checked when it is loaded', () => {
	const contract = (record: string, records: object) => ({
		paths: { '/tickets/{id}': { get: { 'x-record': record } } },
		'x-records': records,
	});
	const Ticket = { type: 'object', properties: { id: { type: 'string' } } };

	test('one that is there is accepted', () => {
		expect(() => checkRecords(contract('Ticket', { Ticket }))).not.toThrow();
	});

	test.each<[what: string, contract: Record<string, unknown>, message: string]>([
		[
			'a name that is not among them',
			contract('Tickets', { Ticket, User: Ticket }),
			'GET /tickets/{id} has the x-record Tickets. x-records has: Ticket, User. Use one of them, or add it.',
		],
		[
			'a list of fields instead of an object',
			contract('Ticket', { Ticket: { type: 'array' } }),
			'Ticket, of x-records: write type: object, with properties.',
		],
		[
			'a field without a type',
			contract('Ticket', { Ticket: { type: 'object', properties: { id: {} } } }),
			'Ticket, of x-records: id has no type. Use one of array, boolean, integer, object, string.',
		],
		[
			'a type that schemas of n8n do not have',
			contract('Ticket', { Ticket: { type: 'object', properties: { id: { type: 'text' } } } }),
			'Ticket, of x-records: id has the type text. Use one of array, boolean, integer, object, string.',
		],
		[
			'a record that no endpoint returns',
			contract('Ticket', { Ticket, Note: Ticket }),
			'Note, of x-records: no endpoint has it as its x-record. Remove it, or name it there.',
		],
	])('%s is named, with what to do', (_what, broken, message) => {
		expect(() => checkRecords(broken)).toThrow(new Error(message));
	});
});
