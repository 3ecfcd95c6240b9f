import { decode, encode } from '../../nodes/ConversationalMessaging/trigger/checkpoint.ts';
import type { Limits } from '../../nodes/ConversationalMessaging/trigger/limits.ts';
import { LIMITS } from '../../nodes/ConversationalMessaging/trigger/limits.ts';
import { pollSource } from '../../nodes/ConversationalMessaging/trigger/poll.ts';
import type { StatusSource } from '../../nodes/ConversationalMessaging/trigger/sources/source.ts';
import { carryOutLines, type During } from './lines.mts';
import { FakeService, outage, type Order, type Row } from './service.mts';

/** So few that lists of ten records reach every limit. */
const SMALL: Limits = {
	...LIMITS,
	wholePages: 1,
	extraPages: 1,
	lookups: 2,
	unlistedLookups: 1,
	searchPages: 4,
	fillPages: 8,
};

export interface Setting {
	source: StatusSource;
	limits?: Partial<Limits>;
	order?: Order;
	scope?: Record<string, string>;
	details?: boolean;
	service?: Partial<Pick<FakeService, 'cap' | 'hidden' | 'totals' | 'isNested' | 'showsStatus'>>;
}

/**
 * Carries out a script, line by line, and returns it with what each poll really requested and emitted.
 *
 *     make OPEN CLOSED*3         records, from the oldest: R1, R2, …
 *     make OPEN,CLOSED*3         the same statuses in turn
 *     change R1 CLOSED           change R1 R2 CLOSED
 *     swap R1 R2                 exchanges two statuses
 *     delete R1 · assign R1 A2
 *     reject R1 403 · accept R1  requests for this record
 *     reject pages 3-5 403       requests for these pages of any list; accept pages
 *     fail 3 · fail 3 401        the third request of the next poll, and all after it
 *     during 2: change R1 OPEN   before the second request of the next poll
 *     filter CLOSED · filter new OPEN CLOSED      statuses, and whether new records are emitted
 *     hide 2                     records that totals include, although no list shows them
 *     token two                  another token of the credential
 *     restart 2                  with the state of two polls ago
 *     poll
 *       : all:1 CLOSED:2 get:R1  its requests: page 1 of all records, page 2 of the closed ones, and a record
 *       = R1 OPEN>CLOSED         its events; "failed 2" if it is the second one in a row that is incomplete
 */
export async function carryOut(script: string, setting: Setting): Promise<string> {
	const { source, order, scope = {}, details = false } = setting;
	const limits = { ...SMALL, ...setting.limits };
	const service = new FakeService(source, order);
	Object.assign(service, setting.service);
	let filter = { statuses: [] as string[], includeNew: true };
	let token = 'one';
	const saved = [''];
	let failure: { at: number; status: number } | undefined;
	let rejected: { from: number; to: number; status: number } | undefined;
	const row = (id: string): Row => service.rows.find((each) => each.id === id)!;

	const reject = (what: string, given: string[]): void => {
		if (what !== 'pages') service.rejected.set(what, Number(given[0]));
		else {
			const [from, to] = given[0]!.split('-').map(Number);
			rejected = { from: from!, to: to ?? Infinity, status: Number(given[1]) };
		}
	};

	const actions: Record<string, (given: string[]) => void> = {
		make: (statuses) => void service.makeAll(statuses.flatMap(statusesIn)),
		change: (given) => {
			for (const id of given.slice(0, -1)) service.change(row(id), given.at(-1)!);
		},
		swap: (given) => {
			const [one, other] = given.map(row) as [Row, Row];
			const { status } = one;
			service.change(one, other.status);
			service.change(other, status);
		},
		delete: (ids) => {
			for (const id of ids) service.delete(row(id));
		},
		assign: ([id, agent]) => void service.assign(row(id!), agent!),
		reject: ([what, ...given]) => reject(what!, given),
		accept: ([what]) => {
			if (what === 'pages') rejected = undefined;
			else service.rejected.delete(what!);
		},
		fail: ([at, status = '503']) => (failure = { at: Number(at), status: Number(status) }),
		filter: (given) => {
			const statuses = given.filter((word) => word !== 'new');
			filter = { includeNew: given[0] === 'new', statuses };
		},
		hide: ([count]) => (service.hidden = Number(count)),
		token: ([name]) => (token = name!),
		restart: ([ago]) => void saved.push(saved.at(-1 - Number(ago))!),
	};

	const apply = (line: string): void => {
		const [what = '', ...given] = line.split(' ');
		const action = actions[what];
		if (!action) throw new Error(`What is "${line}"?`);
		action(given);
	};

	const poll = async (during: During): Promise<string[]> => {
		service.begin();
		service.onRequest = (number) => {
			for (const line of during.get(number) ?? []) apply(line);
			if (failure && number >= failure.at) throw outage(failure.status);
			const page = Number(/"page":(\d+)/.exec(service.requests.at(-1)!)?.[1] ?? 0);
			if (rejected && page >= rejected.from && page <= rejected.to) throw outage(rejected.status);
		};
		const { checkpoint, items, error } = await pollSource(
			service.requested,
			{ source, scope, filter, details },
			{ scope: 'scope', token },
			decode(saved.at(-1)).sources[source.event],
			limits,
		);
		service.onRequest = () => undefined;
		failure = undefined;
		saved.push(encode({ sources: { [source.event]: checkpoint } }, limits));
		const { failures } = checkpoint;
		const events = items.map(({ json }) => {
			const { recordId, previousStatus, status } = json as Record<string, string | null>;
			return `${recordId!} ${previousStatus ?? 'new'}>${status!}`;
		});
		if (failures > 0) events.unshift(`failed ${failures}${error ? ' with an error' : ''}`);
		const requests = service.requests.map(shortened);
		return [
			'poll',
			`  : ${requests.join(' ')}`,
			...(events.length > 0 ? [`  = ${events.join(', ')}`] : []),
		];
	};

	return await carryOutLines(script, { apply, poll });
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
