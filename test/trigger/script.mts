import type { Baseline } from '../../nodes/ConversationalMessaging/trigger/baseline.ts';
import { decode, encode } from '../../nodes/ConversationalMessaging/trigger/checkpoint.ts';
import type { Limits } from '../../nodes/ConversationalMessaging/trigger/limits.ts';
import { pollSource } from '../../nodes/ConversationalMessaging/trigger/poll.ts';
import type { StatusSource } from '../../nodes/ConversationalMessaging/trigger/sources/source.ts';
import { subscriptionTo } from '../../nodes/ConversationalMessaging/trigger/subscription.ts';
import { carryOutLines, type During } from './lines.mts';
import { FakeService, outage, type Order, type Row } from './service.mts';

/** So few that small lists reach every limit. */
export const SMALL: Limits = {
	wholePages: 1,
	extraPages: 1,
	lookups: 2,
	unlistedLookups: 1,
	searchPages: 6,
	backfillPages: 3,
	backfillRecords: 1_000,
	markEvery: 2,
	spareKeyBits: 42,
	recentRecords: 6,
	characters: 9_999,
};

export interface Setting {
	source: StatusSource;
	limits?: Partial<Limits>;
	order?: Order;
	scopeQuery?: Record<string, string>;
	details?: boolean;
	oddities?: Partial<Pick<FakeService, 'cap' | 'hidden' | 'totals'>>;
}

/**
 * Carries out a script, line by line, and returns it with what each poll really did.
 *
 *     make OPEN CLOSED*3         records, from the oldest: R1, R2, …
 *     make OPEN,CLOSED*3         the same statuses in turn
 *     change R1 CLOSED           change R1 R2 CLOSED
 *     swap R1 R2                 exchanges two statuses
 *     delete R1 · assign R1 A2 · reject R1 403 · hide 2
 *     fail 3 · fail 3 400        the third request of the next poll, and all after it
 *     during 2: change R1 OPEN   before the second request of the next poll
 *     filter CLOSED · filter new OPEN CLOSED      statuses, and whether new records are reported
 *     scope other                another subscription
 *     restart 2                  with the state of two polls ago
 *     poll all:1 get:R1 -> R1 OPEN>CLOSED 1       its requests (list and page, or a record), and its events with the
 *                                                 number of the change; "failed" if it is incomplete
 *     poll lists(CLOSED:2) ->    the first page of the list of each status, but of closed records the second one;
 *                                CLOSED:all is the first page of the whole list instead
 *       = OPEN 1, CLOSED 7+ to page 2 3 marks of 6; complete; 1 of 8 by ID
 *                                what it expects next time, if that has changed: the records of each list that has any,
 *                                with a plus if it does not know all of them, or a question mark if it does not know
 *                                their number, how far its search has come, and its order; what of the whole list has
 *                                been read; how many records are tracked by their ID
 */
export async function carryOut(script: string, setting: Setting): Promise<string> {
	const { source, order, scopeQuery = {}, details = false, oddities } = setting;
	const limits = { ...SMALL, ...setting.limits };
	const service = new FakeService(source, order);
	Object.assign(service, oddities);
	let filter = { statuses: [] as string[], includeNew: true };
	let scope = 'scope';
	const saved = [''];
	let expected = '';
	let failure: { at: number; status: number } | undefined;
	const row = (id: string): Row => service.rows.find((each) => each.id === id)!;

	const apply = (line: string): void => {
		const [what, ...given] = line.split(' ');
		const last = given.at(-1)!;
		if (what === 'make') service.makeAll(given.flatMap(statusesIn));
		else if (what === 'change') for (const id of given.slice(0, -1)) service.change(row(id), last);
		else if (what === 'swap') {
			const [one, other] = given.map(row) as [Row, Row];
			const { status } = one;
			service.change(one, other.status);
			service.change(other, status);
		} else if (what === 'delete') for (const id of given) service.delete(row(id));
		else if (what === 'assign') service.assign(row(given[0]!), last);
		else if (what === 'reject') service.rejected.set(given[0]!, Number(last));
		else if (what === 'accept') service.rejected.delete(last);
		else if (what === 'hide') service.hidden = Number(last);
		else if (what === 'fail')
			failure = { at: Number(given[0]), status: given[1] ? Number(given[1]) : 503 };
		else if (what === 'filter')
			filter = {
				includeNew: given[0] === 'new',
				statuses: given.filter((word) => word !== 'new'),
			};
		else if (what === 'scope') scope = last;
		else if (what === 'restart') saved.push(saved.at(-1 - Number(last))!);
		else throw new Error(`What is "${line}"?`);
	};

	const poll = async (during: During): Promise<string[]> => {
		service.begin();
		service.onRequest = (number) => {
			for (const line of during.get(number) ?? []) apply(line);
			if (failure && number >= failure.at) throw outage(failure.status);
		};
		const { checkpoint, items, error } = await pollSource(
			service.reader,
			subscriptionTo(source, scopeQuery, filter, details),
			scope,
			decode(saved.at(-1))[source.event],
			limits,
		);
		service.onRequest = () => undefined;
		failure = undefined;
		saved.push(encode({ [source.event]: checkpoint }, limits));
		const { baseline, failures } = decode(saved.at(-1))[source.event]!;
		const events = items.map(({ json }) => {
			const { recordId, previousStatus, status, eventId } = json as Record<string, string | null>;
			const number = eventId!.split(':').at(-2)!;
			return `${recordId!} ${previousStatus ?? 'new'}>${status!} ${number}`;
		});
		const failed = failures > 0 ? [`failed ${failures}${error ? ' with an error' : ''}`] : [];
		const requests = withLists(service.requests.map(shortened), source);
		const done = [...requests, '->', [...failed, ...events].join(', ')];
		const before = expected;
		expected = baseline ? `  = ${stateOf(baseline, source)}` : '';
		return [`poll ${done.join(' ')}`.trim(), ...(expected === before ? [] : [expected])];
	};

	return carryOutLines(script, { apply, poll });
}

/** `list {"status":"OPEN","page":1,"limit":3}` is OPEN:1, `get R1` is get:R1. */
function shortened(request: string): string {
	if (request.startsWith('get ')) return `get:${request.slice(4)}`;
	const { page, limit, ...query } = JSON.parse(request.slice(5)) as Record<
		string,
		string | number | boolean
	>;
	const names = Object.entries(query).map(([name, value]) =>
		name === 'status' ? String(value) : `${name}=${String(value)}`,
	);
	return `${names.join('&') || 'all'}${page === undefined ? '' : `:${String(page)}`}`;
}

/** "CLOSED*3" is three closed records. */
function statusesIn(word: string): string[] {
	const [statuses = '', count = '1'] = word.split('*');
	return Array.from({ length: Number(count) }, () => statuses.split(',')).flat();
}

/** The requests of one page of the list of each status as one text: "lists", or "lists(CLOSED:2)". */
function withLists(requests: string[], { layout, partitions }: StatusSource): string[] {
	if (layout !== 'pages') return requests;
	const isOneOf = (request = '', status = '') =>
		request === 'all:1' || request.startsWith(`${status}:`);
	const start = requests.findIndex((_request, i) =>
		partitions.every(({ status }, at) => isOneOf(requests[i + at], status)),
	);
	if (start < 0) return requests;
	const others = partitions.flatMap(({ status }, at) => {
		const request = requests[start + at]!;
		if (request === 'all:1') return [`${status}:all`];
		return request === `${status}:1` ? [] : [request];
	});
	const lists = others.length > 0 ? `lists(${others.join(' ')})` : 'lists';
	return requests.toSpliced(start, partitions.length, lists);
}

function stateOf(
	{ counts, exact, backfill, tracked, sweeps, orders }: Baseline,
	{ layout, partitions }: StatusSource,
): string {
	const listed = layout === 'pages' ? partitions.map(({ status }) => status) : [];
	const lists = listed.flatMap((status) => {
		const [count, swept, order] = [counts[status], sweeps[status], orders[status]];
		if (count === undefined) return [`${status} ?`];
		const parts = [
			`${status} ${count}${exact.includes(status) ? '' : '+'}`,
			swept ? `to page ${swept}` : '',
			order ? `${order.marks.length} marks of ${order.total}` : '',
		];
		const text = parts.filter(Boolean).join(' ');
		return text === `${status} 0` ? [] : [text];
	});
	const others = exact.filter((status) => counts[status] === undefined);
	const read =
		backfill.is === 'running'
			? `reading, page ${backfill.page} of pass ${backfill.pass}`
			: backfill.is;
	const byId = `${tracked.byId.size} of ${tracked.size} by ID`;
	return [[...lists, ...others].join(', '), read, byId].filter(Boolean).join('; ');
}
