import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Contact } from '../../sandbox/records.mts';
import type { World } from '../../sandbox/world.mts';
import { addSegment } from '../support/records.mts';
import { runs } from '../support/runs.mts';
import { byId } from './harness.mts';
import { CONTINUE, SharedHarness } from './sharedHarness.mts';
import {
	identity,
	KEY_LABEL,
	sync,
	type Person,
	type Result,
	type Row,
	type Settings,
} from './syncReference.mts';

/**
 * Contact → Sync on random tables, on n8n's engine against the sandbox: the contacts are afterwards what the reference
 * makes of them. `RUNS=10000 npx jest test/engine/syncTables` tries many tables with new values.
 */
const service = new SharedHarness({ contacts: 0, tickets: 1, pageCap: 3 });

/** The same number in several spellings, first as the service would store it. */
const NUMBERS = [
	['12025550101', '+12025550101', '+1 (202) 555-0101'],
	['4915112345678', '+49 151 12345678'],
	['5215512345678', '525512345678', '+52 1 55 1234 5678'],
	['5491112345678', '541112345678'],
	['5511987654321', '551187654321'],
	['US.13491208655302741918', 'us.13491208655302741918'],
	['12025550102', 12025550102],
];
const IG_IDS = ['17841400000000001', '17841400000000002', '17841400000000003'];
const KEYS = ['17', '0017', '18', '19'];
const LABELS = ['City', 'Plan'];

const orNull = <T,>(values: fc.Arbitrary<T>) => fc.option(values, { freq: 3 });
const oneOf = <T,>(values: readonly T[]) => fc.constantFrom(...values);
/** In a table, most contacts have a number, and one of few: rows meet them. */
const storedNumber = oneOf(NUMBERS.flatMap((spellings) => spellings.slice(0, 2))).map(String);
const text = oneOf(['Ann', 'Bob', ' Ann', 'ann', 'Jose\u0301', 'Jos\u00e9', 'a\r\nb', 'a\nb']);
const storedValue = oneOf(['Rome', 'rome', ' Rome ', '7', '7.0', 'TRUE', '', 'a, b']);
const value = oneOf<unknown>([
	'Rome',
	'Rome ',
	7,
	'7',
	true,
	['a', 'b'],
	'Oslo',
	'',
	null,
	undefined,
]);
const label = oneOf([...LABELS, ...LABELS, 'city', 'PLAN', 'Other', '']);

const person: fc.Arbitrary<Person> = fc.record({
	name: text,
	customName: orNull(text),
	igUsername: orNull(text),
	waId: fc.option(storedNumber, { freq: 5 }),
	igId: orNull(oneOf(IG_IDS)),
	fields: fc
		.tuple(
			fc.array(fc.tuple(label, storedValue), { maxLength: 2 }),
			fc.array(fc.tuple(oneOf([KEY_LABEL, KEY_LABEL, KEY_LABEL, 'crm id']), oneOf([...KEYS, ''])), {
				maxLength: 1,
			}),
		)
		.map(([fields, key]) => [...fields, ...key]),
	isMember: fc.boolean(),
});

/** Contacts of which one has an address: a list without any stops the run. */
const people = (maxLength: number) =>
	fc.array(person, { maxLength }).map((all) => {
		const hasAddress = all.some(({ waId, igId }) => waId !== null || igId !== null);
		return hasAddress ? all : all.map((one) => ({ ...one, igId: '17841400000000009' })).slice(0, 1);
	});

const row: fc.Arbitrary<Row> = fc.record({
	key: oneOf<unknown>([...KEYS, ...KEYS, 17, 18, null]),
	waId: oneOf<unknown>([...NUMBERS.flat(), null, undefined, '']),
	igId: oneOf<unknown>([...IG_IDS, ...IG_IDS, null, undefined]),
	name: oneOf<unknown>(['Ann', 'Bob', 'Jos\u00e9', 'a\nb', '', null, undefined]),
	customName: oneOf<unknown>(['Ann', '', null, undefined]),
	igUsername: oneOf<unknown>(['ann', undefined, null]),
	fields: fc.record({ City: value, Plan: value }),
});

const table = fc.record({
	matchBy: oneOf(['waId', 'igId', 'customField'] as const),
	clearEmpty: fc.boolean(),
	segment: oneOf(['none', 'add', 'addAndRemove'] as const),
	contacts: people(9),
	/** Of another organization, with a token of its own. */
	others: orNull(
		fc.record({
			contacts: people(3),
			rows: fc.array(row, { minLength: 1, maxLength: 2 }),
		}),
	),
	rows: fc.array(row, { minLength: 1, maxLength: 6 }),
	/** What happens while the list of contacts is read: strangers come and go. */
	changes: fc.array(oneOf(['none', 'new', 'gone'] as const), { maxLength: 8 }),
	/** Whether another system creates a contact of the items before the node does. */
	isLate: fc.boolean(),
	listedFields: oneOf(['customFields', 'fields', 'left out'] as const),
});

const STRANGER = { name: 'Stranger', waId: '12025559999' };

/** The service no longer finds the contact by its addresses either. */
function remove(world: World, contact: Contact): void {
	world.changeContact(contact, { waId: null, igId: null });
	world.contacts.delete(contact.id);
}

/** The contacts of an organization, and its only segment. */
function fill(world: World, contacts: readonly Person[]): void {
	for (const contact of world.contacts.filter(() => true)) remove(world, contact);
	for (const { id } of world.segments.filter(() => true)) world.segments.delete(id);
	const members: string[] = [];
	for (const { isMember, fields, ...rest } of contacts) {
		const customFields = fields.map(([name, stored]) => ({
			id: world.newId(),
			label: name,
			value: stored,
		}));
		const { id } = world.addContact({ ...rest, customFields });
		if (isMember) members.push(id);
	}
	addSegment(world, members, { id: 'segment', name: 'S' });
}

/** The contacts as the reference has them, whatever their order. */
function stateOf(world: World): unknown[] {
	const { members } = world.segments.get('segment')!;
	return sorted(
		world.contacts
			.filter(({ name }) => name !== STRANGER.name)
			.map(({ id, customFields, ...contact }) => ({
				...contact,
				isMember: members.has(id),
				fields: customFields.map((field): [string, string] => [field.label, field.value]),
			})),
	);
}

const sorted = (people: readonly Person[]): unknown[] =>
	people
		.map(({ name, customName, igUsername, waId, igId, isMember, fields }) =>
			JSON.stringify([
				name,
				customName,
				igUsername,
				waId,
				igId,
				isMember,
				fields.map(String).sort(),
			]),
		)
		.sort();

/** Before each request for a page of contacts, one change of the list; before the first contact is created, another one. */
function changeWhileRead(
	{ world, faults }: typeof service.sandbox,
	changes: readonly string[],
	late: Person | undefined,
): void {
	const left = [...changes];
	let isCreated = false;
	const matches = ({ route }: { route?: string }) => {
		if (late && route === 'POST /contacts' && !isCreated) {
			isCreated = true;
			world.addContact({ name: late.name, waId: late.waId });
		}
		const change = route === 'GET /contacts' ? left.shift() : undefined;
		if (change === 'new') world.addContact(STRANGER);
		const stranger = world.contacts.find(({ name }) => name === STRANGER.name);
		if (change === 'gone' && stranger) remove(world, stranger);
		return false;
	};
	faults.add({ kind: 'reset' }, { matches });
}

const FIELDS: INodeParameters = {
	keyLabel: KEY_LABEL,
	keyValue: '={{ $json.key }}',
	customFields: {
		field: LABELS.map((name) => ({ label: name, value: `={{ $json.fields.${name} }}` })),
	},
	additionalFields: {
		customName: '={{ $json.customName }}',
		igUsername: '={{ $json.igUsername }}',
	},
};

/** What a dry run calls its results. */
const WOULD: Record<string, Result> = { wouldCreate: 'created', wouldUpdate: 'updated' };

test('the contacts are afterwards what the reference says, as a dry run predicts, and a second run writes nothing', async () => {
	const property = fc.asyncProperty(table, async (given) => {
		const { matchBy, clearEmpty, segment, contacts, others, rows, changes } = given;
		const { sandbox, shapes } = service;
		sandbox.faults.clear();
		const tenants = [
			{ world: sandbox.world, token: sandbox.tokens.all.value, contacts, rows },
			...(others
				? [{ world: sandbox.otherWorld, token: sandbox.tokens.otherOrganization.value, ...others }]
				: []),
		];
		// A list in which no contact has a field shows none.
		const showsFields = tenants.every(({ contacts: own }) =>
			own.some(({ fields }) => fields.length > 0),
		);
		shapes.listedFields = showsFields ? given.listedFields : 'customFields';
		const items = tenants.flatMap(({ token, rows: own }) =>
			own.map((row) => ({ ...row, token }) as IDataObject),
		);
		for (const tenant of tenants) fill(tenant.world, tenant.contacts);
		for (const { world } of [...tenants, ...tenants]) world.addContact(STRANGER);
		const run = async (more: INodeParameters = {}) => {
			service.requests.length = 0;
			const parameters = {
				...{ resource: 'contact', operation: 'sync', dryRun: false, ...FIELDS, matchBy, ...more },
				...(segment !== 'none' && { segmentId: byId('segment') }),
				options: { clearEmpty, ...(segment === 'addAndRemove' && { removeFromSegment: true }) },
			};
			return await service.run(parameters, { items, token: '={{ $json.token }}', ...CONTINUE });
		};
		const wroteNothing = () => service.routes().every((route) => route.startsWith('GET'));
		const settings: Settings = { matchBy, clearEmpty, segment, isWhole: others === null };
		const expected = (all: typeof tenants, of = settings) =>
			all.map((tenant) => sync(tenant.contacts, tenant.rows, of));
		const states = () => tenants.map(({ world }) => stateOf(world));
		const resultsOf = (json: IDataObject[]) =>
			json.map(({ result, error }) => (error === undefined ? result : 'failed'));

		const before = states();
		const dry = await run({ dryRun: true });
		expect(states()).toStrictEqual(before);
		expect(wroteNothing()).toBe(true);

		const late =
			given.isLate && matchBy === 'waId' ? newPerson(contacts, rows, settings) : undefined;
		changeWhileRead(sandbox, changes, late);
		const real = await run();
		expect(real.error).toBeUndefined();
		const isIncomplete = real.hints.some((hint) =>
			hint.startsWith('The list of contacts is incomplete'),
		);
		// A contact that was missed may be the only one that shows its fields.
		if (isIncomplete && (!canBeLookedUp(given) || shapes.listedFields === 'left out')) return;
		if (late) tenants[0]!.contacts = [...contacts, late];
		const reference = expected(tenants, isIncomplete ? { ...settings, isWhole: false } : settings);
		expect({ items, results: resultsOf(real.json) }).toStrictEqual({
			items,
			results: reference.flatMap(({ results }) => results),
		});
		expect(states()).toStrictEqual(reference.map(({ after }) => sorted(after)));
		if (late || isIncomplete) return;
		// What fails an item of a real run fails it in a dry one.
		const predicted = ({ contactId: _id, ...json }: IDataObject) =>
			json.error !== undefined
				? 'failed'
				: { ...json, result: WOULD[json.result as string] ?? (json.result as Result) };
		expect(dry.json.map(predicted)).toStrictEqual(real.json.map(predicted));

		sandbox.faults.clear();
		const second = expected(
			tenants.map((tenant, index) => ({ ...tenant, contacts: reference[index]!.after })),
		);
		const again = await run();
		expect(resultsOf(again.json)).toStrictEqual(second.flatMap(({ results }) => results));
		expect(states()).toStrictEqual(second.map(({ after }) => sorted(after)));
		if (reference.every(({ results }) => results.every((result) => result !== 'conflict')))
			expect(wroteNothing()).toBe(true);
	});
	await fc.assert(property, { numRuns: runs(20, 1_000) });
});

/** The contact of the first row that needs a new one, as another system creates it; undefined if there is none. */
function newPerson(
	contacts: readonly Person[],
	rows: readonly Row[],
	settings: Settings,
): Person | undefined {
	const { after, results } = sync(contacts, rows, settings);
	const created = after[contacts.length];
	if (!results.includes('created') || !created) return undefined;
	// The sandbox finds user IDs in capitals only.
	if (created.waId?.startsWith('us.')) return undefined;
	return {
		...created,
		name: 'Late',
		customName: null,
		igUsername: null,
		fields: [],
		isMember: false,
	};
}

/**
 * Whether the contacts of a list that stays incomplete are certain all the same: the node looks up those that it may lack,
 * by their addresses, unless an item cannot be a new contact.
 */
const canBeLookedUp = ({
	matchBy,
	contacts,
	rows,
}: Pick<Settings, 'matchBy'> & { contacts: Person[]; rows: Row[] }) =>
	matchBy !== 'customField' &&
	!hasTwice(contacts) &&
	contacts.every(({ waId }) => !waId?.includes(' ')) &&
	rows.every(({ name }) => Boolean(name));

/** Whether two contacts have the same address. */
const hasTwice = (contacts: readonly Person[]): boolean => {
	const ids = contacts.flatMap(({ waId, igId }) =>
		[waId === null ? [] : identity(waId), igId ?? []].flat(),
	);
	return new Set(ids).size < ids.length;
};
