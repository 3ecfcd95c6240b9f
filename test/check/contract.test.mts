import { assumptions } from '../../check/assumptions/index.mts';
import { readContract, routesOf } from '../../sandbox/contract.mts';

/** What reading could show, and the check does not settle, by the reason why not. */
const NOT_CHECKED = {
	'reading alone cannot bring it about': [
		'contract: which failures are safe to retry',
		'contract: whether a rejected request counts for the rate limit (here it does, unless its token is rejected or its path is unknown)',
		'getChatSession: the response for a contact without a chat (404 here)',
		'getChatSession: the status 403 is not listed for this route although it needs a permission',
		'getBroadcastCsvTemplate: whether templates of a channel are found (not here)',
		'listChannels: the status 403 is not listed for this route although it needs a permission',
		'getChannel: the status 403 is not listed for this route although it needs a permission',
		'getOrganization: the status 403 is not listed for this route although it needs a permission',
	],
	'the nodes do not depend on it, by what they send': [
		'contract: the response to an invalid request on a route that does not list 400 (400 here)',
		'contract: the response to a body where none is described, and to an upload with several files or with a field twice (400 here)',
		'getChatSession: the response to IDs of different contacts (400 here)',
		'listChats: the names of the channel types besides the two that can be filtered by',
		'listTemplates: how far the number of rows may be from limit',
		'listTemplates: whether templates of a channel are returned without channelId (not here)',
	],
	'returned unchanged; the report lists the keys of lists': [
		'contract: the fields of returned records, apart from names known from requests and filters',
		'getChannel: the names of the totals',
		'getBroadcast: the names of the statistics',
		'getContactImport: the names of the counters',
	],
};

/** Every entry of `x-undocumented`, with the operation or schema that it belongs to. */
function entries(): string[] {
	const contract = readContract();
	const found = new Set<string>();
	const visit = (value: unknown, owner: string): void => {
		if (Array.isArray(value)) for (const entry of value) visit(entry, owner);
		else if (typeof value === 'object' && value !== null) {
			const name = (value as { operationId?: string }).operationId ?? owner;
			for (const [key, inner] of Object.entries(value)) {
				if (key === 'x-undocumented')
					for (const entry of inner as unknown[]) found.add(`${name}: ${String(entry)}`);
				else visit(inner, name);
			}
		}
	};
	const { components, ...rest } = contract as {
		components: Record<string, Record<string, unknown>>;
	};
	visit(rest, 'contract');
	for (const [kind, parts] of Object.entries(components))
		for (const [name, part] of Object.entries(parts))
			visit(part, kind === 'schemas' ? name : `${kind} ${name}`);
	return [...found];
}

const settled = assumptions.flatMap(({ settles }) => settles);
const notChecked = Object.values(NOT_CHECKED).flat();

/** The check only reads, so it need not settle what concerns operations that write, and the schemas of their bodies. */
const WRITING = new Set([
	...[...routesOf(readContract()).values()]
		.filter(({ name }) => !name.startsWith('GET '))
		.map(({ operationId }) => operationId),
	'BroadcastCreate',
	'Text',
]);
const readable = entries().filter((entry) => !WRITING.has(entry.split(':')[0] ?? ''));

test.each(readable)('%s: is settled by an assumption, or there is a reason why not', (entry) => {
	expect([entry, settled.includes(entry) !== notChecked.includes(entry)]).toStrictEqual([
		entry,
		true,
	]);
});

test('assumptions and reasons name only entries of the contract', () => {
	expect([...settled, ...notChecked].filter((entry) => !entries().includes(entry))).toStrictEqual(
		[],
	);
});

test('each of the 20 assumptions has an ID of its own, a question and a consequence', () => {
	expect(new Set(assumptions.map(({ id }) => id)).size).toBe(20);
	for (const { id, question, otherwise } of assumptions) {
		expect(id).toMatch(/^[a-z-]+$/);
		expect(question).toMatch(/\?$/);
		expect(otherwise).toMatch(/\.$/);
	}
});
