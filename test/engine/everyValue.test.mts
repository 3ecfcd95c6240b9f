import fc from 'fast-check';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import {
	IS_EMPTY,
	WITHOUT_VALUE,
	type Accepted,
	type FieldKind,
} from '../../nodes/ConversationalMessaging/parameters/emptyValues.ts';
import { resources } from '../../nodes/ConversationalMessaging/resources/index.ts';
import { allFields } from '../../nodes/ConversationalMessaging/runner/operation.ts';
import type { ReceivedRequest } from '../../sandbox/server.mts';
import { byId } from './harness.mts';
import { placesOf, requiredOf, type FieldPlace } from './fieldPlaces.mts';
import { RAW } from './rawExceptions.mts';
import { scenarios, worldOf, type Scenario } from '../fixtures/index.mts';
import { people } from '../fixtures/world.mts';
import { CONTINUE, SharedHarness } from './sharedHarness.mts';

/**
 * Whatever an expression returns: a request that the contract allows, with everything that was filled in, or a
 * message that names the field.
 */
const LONG = process.env.LONG !== undefined;
/** Every n-th of the values is put into every n-th field, starting at a different one for each. 1 puts all into all. */
const SHARE = LONG ? { places: 1, nothing: 1, strange: 1 } : { places: 4, nothing: 4, strange: 35 };
/** Random values for an operation, a few at a time. */
const RUNS = LONG ? 40 : 1;
/** The longest text, in characters. */
const LENGTH = LONG ? 1_000_000 : 10_000;

/** Values of expressions that JSON cannot represent. */
const SPECIAL: Record<string, string> = {
	undefined: 'undefined',
	'a key that is not there': '$json.nobody',
	NaN: 'NaN',
	'minus infinity': '-Infinity',
	'minus zero': '-0',
	'a BigInt': 'BigInt(7)',
	'a date': 'new Date(4102444800000)',
	'no date': 'new Date(NaN)',
	'a luxon DateTime': '$now.plus({ days: 1 })',
	'no luxon DateTime': 'DateTime.fromISO("x")',
	'a luxon Duration': 'Duration.fromObject({ days: 1 })',
	'a list of dates': '[$now, new Date(0)]',
	'a Map': 'new Map([[1, 2]])',
	'an object without a prototype': 'Object.create(null)',
};

/** What expressions return for nothing, at least in some fields. Each is put into each field, or, if each needs a run, two. */
const WITHOUT: Given[] = [
	{ special: 'undefined' },
	...[null, '', ' NULL ', []].map((v) => ({ v })),
];

/** Other values that count as empty. */
const NOTHING: unknown[] = ['   ', '\t\n', '\u00A0'];
const NOTHING_SPECIAL = ['undefined', 'a key that is not there'];

const STRANGE: unknown[] = [
	...[true, false, 'TRUE', 0, -1, 7, 1.5, 1e21, 5e-324, '0', '-1', '1e3', '7', '..', '.', 'a/../b'],
	...['a?b=c&d#e%2F%zz', '\uD800', 'a\uDC00b', '\u0000\u0001\u001F\u007F\u2028'],
	...['a\r\nX-Header: b', '😀'.repeat(50), 'undefined', 'null', '__proto__', 'constructor'],
	...['hasOwnProperty', '{{ 1 }}', '[]', '{}', '[1,', '01.02.2027', '2027-02-30', '4.91511E+12'],
	...['n/a', '#1042', '+1 (202) 555-0143', 'open', 'OPEN,CLOSED'],
	...[[], [[]], [null], ['a', 'b'], ['OPEN', 'IN_PROGRESS'], [[['a']]], [{ id: 'a' }]],
	[{ type: 'body', parameters: [{ type: 'text', text: 'x' }] }],
	...[{}, { value: 'a' }, { value: '' }, { value: null }, { value: { value: 'a' } }],
	...[{ mode: 'list', value: ['a'] }, { __rl: true, mode: 7, value: 7 }, { id: 'a' }],
	{ toString: 'a' },
	JSON.parse('{"__proto__": {"polluted": true}}'),
	JSON.parse('{"constructor": {"prototype": {"polluted": true}}}'),
	'x'.repeat(LENGTH),
	Array.from({ length: 1_000 }, (_, index) => `id${index}`),
];

type Given = { special: string } | { v: unknown };

const isBlank = (value: unknown): boolean =>
	value === null || (typeof value === 'string' && value.trim() === '');

/** An empty locator counts as empty, too. */
function toNothing(given: Given): boolean {
	if ('special' in given) return NOTHING_SPECIAL.includes(given.special);
	const { v } = given;
	const isLocator = typeof v === 'object' && v !== null && Object.hasOwn(v, 'value');
	return isBlank(isLocator ? (v as { value: unknown }).value : v);
}

/** Whether a field for true or false reads this as false, which may go without saying. */
function isFalse(given: Given): boolean {
	if ('special' in given) return given.special === 'minus zero';
	const { v } = given;
	const values: unknown[] = [false, 0, 'false'];
	return values.includes(typeof v === 'string' ? v.trim().toLowerCase() : v);
}

const EXPRESSION = `={{ $json.special === undefined ? $json.v : ({ ${Object.entries(SPECIAL)
	.map(([name, code]) => `"${name}": () => (${code})`)
	.join(', ')} })[$json.special]() }}`;

const service = new SharedHarness(worldOf(scenarios[0]!));
let runs = 0;

const namesIn = ({ query, body }: ReceivedRequest): string[] => [
	...Object.keys(query).map((name) => `query ${name}`),
	...Object.keys(body ?? {}).map((name) => `body ${name}`),
];

async function attempt(scenario: Scenario, parameters: INodeParameters, given: Given[]) {
	const { world, requests } = service;
	requests.length = 0;
	const items = given.map((value) => {
		const n = runs++;
		return { ...people(world, n), ...scenario.make?.(world, n), ...value };
	}) as IDataObject[];
	const { resource, operation } = scenario;
	const run = async (own: IDataObject[]) =>
		await service.run(
			{ resource, operation, ...parameters },
			{
				...CONTINUE,
				items: own,
				file: 'phone,name,waId\n12025550143,N,12025550143',
				// n8n takes the time for each expression, which is slow in other time zones.
				timezone: 'UTC',
			},
		);
	if (!scenario.oneItem) return { outcome: await run(items), requests: [...requests] };
	const all: { items: INodeExecutionData[]; error?: { message: string } } = { items: [] };
	for (const [item, own] of items.entries()) {
		const outcome = await run([own]);
		all.error ??= outcome.error;
		all.items.push(...outcome.items.map((output) => ({ ...output, pairedItem: { item } })));
	}
	return { outcome: all, requests: [...requests] };
}

/** What a request contains only if the field is filled in, by route. */
async function carriedBy(
	scenario: Scenario,
	place: FieldPlace,
	emptyRuns: Map<string, ReceivedRequest[]>,
): Promise<Map<string, string[]>> {
	if (place.sane === undefined || place.field.required) return new Map();
	const parameters = place.put(scenario.parameters, place.sane);
	const filled = await attempt(scenario, parameters, [{ v: '7' }]);
	const rest = place.leaveOut(parameters);
	const key = JSON.stringify(rest);
	// The same for all fields of a collection.
	const without = emptyRuns.get(key) ?? (await attempt(scenario, rest, [{ v: '7' }])).requests;
	emptyRuns.set(key, without);
	const carried = new Map<string, string[]>();
	for (const request of filled.requests) {
		const others = without.filter(({ route }) => route === request.route);
		if (others.length === 0) continue;
		const known = new Set(others.flatMap(namesIn));
		const own = namesIn(request).filter((name) => !known.has(name));
		if (own.length > 0) carried.set(String(request.route), own);
	}
	return carried;
}

/** A preview that is not ready says why in its message. */
const isErrorItem = ({ json }: INodeExecutionData): boolean =>
	Object.keys(json).join() === 'error' || json.ready === false;

const show = (given: Given): string =>
	('special' in given ? given.special : JSON.stringify(given.v)).slice(0, 80);

/** A wait of so many minutes is what was asked for, and lasts as long. */
const lastsLong = ({ field }: FieldPlace, given: Given): boolean =>
	/^waitFor\w*Minutes$/.test(field.name) &&
	'v' in given &&
	(typeof given.v === 'number' || typeof given.v === 'string') &&
	Number(given.v) > 100;

/** What a rejection is about if a value turns something on, instead of naming its field. */
const IS_ABOUT: Record<string, RegExp> = {
	'broadcast preview options.templateComponents': /^Template variable name is empty/,
	'chat getAll filters.waitingMinutes': /does not show who wrote last, and when/,
	'contactImport get options.requireSuccess': /ended with the status/,
	'segment create isDynamic': /^Rules expects/,
	// The same in every operation.
	countryOfNumbers: /expects a plus and the country code if a number can be read in two ways/,
	customFieldValues: /^The custom field \S+ expects/,
};

async function judge(
	scenario: Scenario,
	place: FieldPlace,
	all: Given[],
	carried = new Map<string, string[]>(),
): Promise<string[]> {
	const given = all.filter((value) => !lastsLong(place, value));
	if (given.length === 0) return [];
	const parameters = place.put(scenario.parameters, EXPRESSION);
	const isPreview = scenario.operation === 'preview';
	// A template that a channel does not list is searched for without the channel, too. So each item is on its own:
	// otherwise, items could share the list of their channel.
	const isSearched = isPreview && [...carried.values()].flat().includes('query channelId');
	const alone = scenario.oneItem || isSearched;
	const { outcome, requests } = await attempt({ ...scenario, oneItem: alone }, parameters, given);
	const wrong: string[] = [];
	if (outcome.error) wrong.push(`the run ends with "${outcome.error.message}"`);
	for (const { json, pairedItem } of outcome.items.filter(isErrorItem)) {
		const text = (json.error ?? json.message) as string;
		const [pair] = [pairedItem].flat() as { item: number }[];
		const value = given[pair?.item ?? 0] as Given;
		const byService = /\((4\d\d|5\d\d)\b[^)]*\)/.test(text);
		const operation = `${scenario.resource} ${scenario.operation}`;
		const isAbout = IS_ABOUT[`${operation} ${place.name}`] ?? IS_ABOUT[place.field.name];
		const isNamed =
			isAbout?.test(text) === true || place.displayNames.some((name) => text.includes(name));
		if (RAW.test(text.replace(/"[^"]*"/g, '')))
			wrong.push(`${show(value)}: says "${text.slice(0, 160)}"`);
		else if (!byService && !isNamed)
			wrong.push(
				`${show(value)}: does not name ${place.displayNames.join('/')}: "${text.slice(0, 160)}"`,
			);
	}
	for (const request of requests) {
		const { route, violation } = request;
		// The contract has one name for the part with the file.
		if (violation !== undefined && place.field.name !== 'partName')
			wrong.push(
				`${given.map(show).join(' | ').slice(0, 200)}: ${route ?? request.path} ${violation} ${JSON.stringify([request.query, request.body]).slice(0, 200)}`,
			);
	}
	const whole = ({ route, ...request }: ReceivedRequest): boolean =>
		(carried.get(String(route)) ?? []).every((name) =>
			namesIn({ route, ...request }).includes(name),
		);
	const without = requests.filter(
		(request) => carried.has(String(request.route)) && !whole(request),
	);
	// A filter is part of every request, and so is all that a preview sends, which reads a list once for several items;
	// anything else is part of one request per item that succeeded.
	const isFilter = place.collection === 'filters' || (isPreview && !isSearched);
	const failed = new Set(
		outcome.items
			.filter(isErrorItem)
			.flatMap(({ pairedItem }) => [pairedItem].flat())
			.map((pair) => (pair as { item: number }).item),
	);
	const isOff = (value: Given): boolean => place.field.type === 'boolean' && isFalse(value);
	const saysNothing = (value: Given): boolean =>
		toNothing(value) ||
		(isId(place) && /^"\s*(?:null|undefined)\s*"$/i.test(show(value))) ||
		isOff(value);
	const expected = given.filter((value, index) => !saysNothing(value) && !failed.has(index)).length;
	const sent = requests.filter(
		(request) => carried.has(String(request.route)) && whole(request),
	).length;
	if (isFilter ? without.length > given.filter(isOff).length : carried.size > 0 && sent < expected)
		wrong.push(
			`${given.map(show).join(' | ').slice(0, 300)}: ${without.length} requests go out without ${[...carried.values()].flat().join()}`,
		);
	if (({} as Record<string, unknown>).polluted !== undefined)
		wrong.push('Object.prototype is polluted');
	return wrong.map((text) => `${place.name}: ${text}`);
}

/** What becomes of values in a place that may count as none there. @param isModels whether a model returns them */
async function withoutValue(
	scenario: Scenario,
	place: FieldPlace,
	given: Given[],
	isModels: boolean,
): Promise<string[]> {
	const expression = isModels ? '={{ $fromAI("v") }}' : EXPRESSION;
	const parameters = place.put(scenario.parameters, expression);
	const { outcome, requests } = await attempt(scenario, parameters, given);
	const violated = requests.find(({ violation }) => violation !== undefined);
	if (violated && place.field.name !== 'partName')
		return given.map(() => `${violated.route} ${violated.violation}`);
	const text = JSON.stringify(requests.map(({ query, body }) => [query, body]));
	const rest = /:(?:""|null)/.test(text) ? 'cleared' : 'left out';
	return given.map((_value, index) => {
		const { error, message } =
			outcome.items
				.filter(isErrorItem)
				.find(({ pairedItem }) => ([pairedItem].flat()[0] as { item: number }).item === index)
				?.json ?? {};
		const said = (error ?? message ?? outcome.error?.message ?? '') as string;
		const isNamed = place.displayNames.some((label) => said.includes(label));
		// What remains if the field was left out may be nothing, or not enough for the service.
		if (!isNamed || /^(?:The service rejected|Nothing to update)/.test(said)) return rest;
		return / empty\b| has no (?:label|column name)/.test(said) ? 'rejected' : 'not accepted';
	});
}

const arbitrary: fc.Arbitrary<Given> = fc.oneof(
	{ arbitrary: fc.jsonValue({ maxDepth: 3 }).map((v): Given => ({ v })), weight: 3 },
	{
		arbitrary: fc
			.string({
				unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
			})
			.map((v): Given => ({ v })),
		weight: 2,
	},
	{ arbitrary: fc.string({ unit: 'grapheme' }).map((v): Given => ({ v })), weight: 1 },
	{ arbitrary: fc.constantFrom(...STRANGE).map((v): Given => ({ v })), weight: 2 },
	{
		arbitrary: fc.constantFrom(...Object.keys(SPECIAL)).map((special): Given => ({ special })),
		weight: 1,
	},
);

const all: Given[] = [
	...[...NOTHING, ...STRANGE].map((v): Given => ({ v })),
	...Object.keys(SPECIAL)
		.filter((special) => special !== 'undefined')
		.map((special): Given => ({ special })),
];
const nothing = all.filter(toNothing);
const strange = all.filter((given) => !toNothing(given));

/** Fields of a collection: "contact update updateFields.name". */
const of = (collection: string, names: string): string[] =>
	names.split(' ').map((name) => `${collection}.${name}`);

/** What may be set and have no value, by the reason why. */
const MAY_BE_EMPTY = [
	// An update leaves what has no value unchanged; Clear Fields clears it.
	...of('contact upsert additionalFields', 'customName igUsername'),
	'contact upsert customFields.value',
	...of('contact update updateFields', 'customName igId igUsername name waId'),
	...of('contactField update updateFields', 'label value'),
	...of('ticket update updateFields', 'agentId priority status'),
	// A row of a table may have empty cells.
	...['contact sync name', 'contact sync customFields.value'],
	...['contact sync', 'contact upsert'].map((each) => `${each} options.customFieldValues`),
	...of('contact sync additionalFields', 'customName igUsername'),
	...['contactImport start name', 'contactImport start igId'],
	'contactImport start columns.value',
	...[
		...['broadcast create', 'broadcast preview', 'contact create', 'contact sync'],
		...['contact upsert', 'contactImport start', 'flow trigger', 'message send'],
		...['message sendAndWait', 'session end', 'session get', 'session start'],
		...['session takeOver', 'ticket create'],
	].map((operation) => `${operation} options.countryOfNumbers`),
	// A contact has a WhatsApp ID, an Instagram ID, or both.
	...['contact create igId', 'contact upsert igId'],
	// Text that only accompanies something may be missing.
	...['chat deescalate reason', 'chat escalate reason', 'message send caption'],
	'segment create additionalFields.description',
	'ticket create additionalFields.description',
	// Template Components replace them.
	'message sendAndWait templateVariables',
];

/** Options and fields that limit what an operation does; so do all filters. */
const LIMITS = [
	...['excludeSegments', 'maxRecipients', 'skipRepeatedNumbers', 'quietHours'],
	...['recipientTimeZone', 'allowIncompleteExclusion', 'sendOnceKey', 'segmentId'],
];

/** What the operation needs besides required fields and those with a default: an ID of the contact, a value. */
const NEEDED = ['waId', 'igId', 'keyValue', 'value', 'templateName'];

/** Texts that identify something. */
const KEY = /(?:Id|\b(?:cursor|id|keyValue|label|recipients?|sendOnceKey))$/;

/** Their expressions do not get as far: they cannot have one, or the template of the run has no such column. */
const UNREACHED = ['headerText', 'body', 'buttons', 'csvColumns'];

/** Whether the table of empty values is held against it. The other modes of a locator are read like the ID. */
const isInTable = ({ name, field }: FieldPlace): boolean =>
	!/ by (?!id$)| as a plain value$/.test(name) && !UNREACHED.includes(field.name);

/** What becomes of a value that is not empty: it is not taken for an empty one. */
const USED = ['not accepted', 'left out'];

/** "ticket create additionalFields.agentId", in whatever mode. */
const fieldOf = ({ resource, operation }: Scenario, { name }: FieldPlace): string =>
	`${resource} ${operation} ${name.replace(/ (?:by \w+|as a plain value|of the template)$/, '')}`;

/** What a field is for, and with which other option it is for something else. */
function kindsOf(scenario: Scenario, place: FieldPlace): [FieldKind, INodeParameters?][] {
	const { collection, field } = place;
	const name = fieldOf(scenario, place);
	if (collection === 'filters') return [['limit'], ['mayBeEmpty', { ignoreEmptyFilters: true }]];
	if (/^contact sync (?:additionalFields\.|customFields\.value)/.test(name))
		return [['mayBeEmpty'], ['clearing', { clearEmpty: true }]];
	if (MAY_BE_EMPTY.includes(name)) return [['mayBeEmpty']];
	if (field.required === true) return [['required']];
	if (LIMITS.includes(field.name)) return [['limit']];
	const isOwn = collection === undefined && !/resourceLocator|Collection/.test(field.type);
	const isNeeded =
		isOwn &&
		field.name !== 'limitWaitTime' &&
		(NEEDED.includes(field.name) || field.default !== '');
	return [[isNeeded ? 'required' : 'optional']];
}

/** What counts as empty in a place. */
function acceptedBy(scenario: Scenario, place: FieldPlace): Accepted {
	if (isId(place) || KEY.test(fieldOf(scenario, place))) return 'id';
	return /^contact \w+ customFields\.value/.test(fieldOf(scenario, place)) ? 'cell' : 'value';
}

const isId = ({ field }: FieldPlace): boolean =>
	field.type === 'resourceLocator' || /Id$/.test(field.name);

/** The scenario of each operation with the most fields. */
const subjects = resources.flatMap((resource) =>
	resource.operations.map((operation) => {
		const scenario = scenarios.find(
			({ resource: own, operation: value }) => own === resource.value && value === operation.value,
		) as Scenario;
		const enough = requiredOf(allFields(operation));
		const templateId = byId('={{ $json.template }}');
		const parameters: INodeParameters = { ...enough, templateId, ...scenario.parameters };
		return [
			`${resource.value}: ${operation.value}`,
			{ ...scenario, parameters },
			// Selected Fields says what is returned; nothing of it is sent.
			placesOf(allFields(operation)).filter(({ field }) => field.name !== 'outputFieldNames'),
			'batch' in operation && operation.batch !== undefined,
		] as const;
	}),
);

describe.each(subjects.filter(([, , places]) => places.length > 0))(
	'%s',
	(_name, scenario, places, isCombined) => {
		beforeEach(() => service.refill(worldOf(scenario)));

		const emptyRuns = new Map<string, ReceivedRequest[]>();
		const carried = new Map<FieldPlace, Map<string, string[]>>();

		/** Two runs: in `npm test`, for every fourth field. */
		async function carriedAt(place: FieldPlace): Promise<Map<string, string[]> | undefined> {
			if (!carried.has(place) && (LONG || places.indexOf(place) % 4 === 0))
				carried.set(place, await carriedBy(scenario, place, emptyRuns));
			return carried.get(place);
		}

		test('an empty or unexpected value is sent as the contract allows, or rejected with the name of its field', async () => {
			const wrong: string[] = [];
			for (const [index, place] of places.entries()) {
				if (index % SHARE.places !== 0) continue;
				const shareOf = (values: Given[], share: number) =>
					values.filter((_value, at) => (at + index) % share === 0);
				const given = [
					...(isInTable(place) ? [] : WITHOUT),
					...shareOf(nothing, SHARE.nothing),
					...shareOf(strange, SHARE.strange),
				];
				wrong.push(...(await judge(scenario, place, given, await carriedAt(place))));
			}
			expect(wrong).toStrictEqual([]);
		});

		test('a field without a value is left out, cleared or rejected as the table of empty values says', async () => {
			const expected: string[] = [];
			const actual: string[] = [];
			for (const [index, place] of places.entries()) {
				if (!isInTable(place)) continue;
				const isEmpty = IS_EMPTY[acceptedBy(scenario, place)];
				const { parameters } = scenario;
				for (const [kind, options] of kindsOf(scenario, place)) {
					const subject = {
						...scenario,
						parameters: {
							...parameters,
							...(options && { options: { ...(parameters.options as object), ...options } }),
						},
					};
					const judged = async (given: Given[], isModels = false) => {
						const found = await withoutValue(subject, place, given, isModels);
						for (const [at, value] of given.entries()) {
							const v = 'v' in value ? value.v : undefined;
							const absence = isModels ? 'leftOutByModel' : v === undefined ? 'missing' : 'empty';
							// No list is a value of a field for one value; its message says so.
							if (Array.isArray(v) && !isEmpty(v)) continue;
							const where = `${place.name} (${kind}), ${absence} as ${show(value)}`;
							const isNone = isEmpty(v) || (isModels && IS_EMPTY.id(v));
							const meaning = isNone ? WITHOUT_VALUE[kind][absence] : 'a value';
							const wanted = { rejected: ['rejected', 'not accepted'], 'a value': USED }[
								meaning as string
							];
							expected.push(`${where}: ${meaning}`);
							actual.push(`${where}: ${wanted?.includes(found[at]!) ? meaning : found[at]}`);
						}
					};
					// Items that are combined must have the same value, and of cells, some are cleared.
					const isAlone = isCombined || kind === 'clearing' || scenario.oneItem;
					const others = LONG ? WITHOUT.slice(1) : [WITHOUT[1 + (index % 4)]!];
					const alone = [WITHOUT[0]!, ...others].map((value) => [value]);
					for (const given of isAlone ? alone : [WITHOUT]) await judged(given);
					const isEntry = place.field.type === 'fixedCollection';
					const isAsked = LONG || index % 4 === 0;
					if (isAsked && (!isEntry || kind === 'clearing'))
						await judged([{ v: index % 8 === 0 ? ' NULL ' : '' }], true);
				}
			}
			expect(actual).toStrictEqual(expected);
		});

		test('any other value is sent as the contract allows, or rejected with the name of its field', async () => {
			await fc.assert(
				fc.asyncProperty(
					fc.constantFrom(...places),
					fc.array(arbitrary, { minLength: 1, maxLength: 8 }),
					async (place, values) => {
						const wrong = await judge(scenario, place, values, await carriedAt(place));
						expect(wrong).toStrictEqual([]);
					},
				),
				{ numRuns: RUNS },
			);
		}, 600_000);
	},
);
