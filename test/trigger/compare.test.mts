import {
	compare,
	doubtful,
	learned,
	remembered,
} from '../../dist/nodes/ConversationalMessaging/watch/compare.js';
import type { Rules } from '../../dist/nodes/ConversationalMessaging/watch/compare.js';
import type { Sighting } from '../../dist/nodes/ConversationalMessaging/watch/kind.js';
import type { Entry } from '../../dist/nodes/ConversationalMessaging/watch/memory.js';
import { keyOf } from '../../dist/nodes/ConversationalMessaging/watch/memory.js';

/** "T1 OPEN": a record and where it stands. "T1 OPEN 2" of what is known: after two changes. */
type Line = string;

const sighting = (line: Line): Sighting => {
	const [id = '', status = ''] = line.split(' ');
	return { id, status, record: { id, status } };
};

const known = (lines: Line[]) =>
	new Map(
		lines.map((line): [string, Entry] => {
			const [id = '', status = '', changes = '0'] = line.split(' ');
			const entry = { status, changes: Number(changes) };
			return [keyOf(id), status === 'CLOSED' ? entry : { ...entry, id }];
		}),
	);

const hasEnded = (status: string) => status === 'CLOSED';

interface Case {
	known: Line[];
	seen?: Line[];
	gone?: string[];
	outside?: string[];
	/** How many records can be new, by the length of the list. */
	arrivals?: number;
	rules?: Partial<Rules>;
	/** "T1 OPEN>CLOSED": the changes. */
	changes: string[];
	/** What is known afterwards, "T1 CLOSED 1". */
	then: Line[];
}

function result({ known: lines, seen = [], gone = [], outside = [], arrivals = 0, rules }: Case) {
	const before = known(lines);
	const comparison = compare(
		before,
		{ seen: seen.map(sighting), gone, outside, arrivals },
		{ hasEnded, strangerWas: null, whole: true, changesBefore: 0, ...rules },
	);
	const ids = [...lines, ...seen].map((line) => line.split(' ')[0]!);
	const nameOf = (key: string) => ids.find((id) => keyOf(id) === key) ?? key;
	return {
		changes: comparison.changes.map(
			({ id, previousStatus, status, ordinal }) =>
				`${id} ${previousStatus ?? '(new)'}>${status} #${ordinal}`,
		),
		then: [...comparison.known].map(
			([key, { status, changes, id }]) =>
				`${nameOf(key)} ${status} ${changes}${id === undefined ? '' : ' by id'}`,
		),
		same: comparison.known === before,
	};
}

describe('what changed', () => {
	test.each<[string, Case]>([
		['nothing', { known: ['T1 OPEN'], seen: ['T1 OPEN'], changes: [], then: ['T1 OPEN 0 by id'] }],
		[
			'a record that stands elsewhere',
			{
				known: ['T1 OPEN'],
				seen: ['T1 RESOLVED'],
				changes: ['T1 OPEN>RESOLVED #1'],
				then: ['T1 RESOLVED 1 by id'],
			},
		],
		[
			'a record that ended: from then on its key alone is kept',
			{
				known: ['T1 OPEN'],
				seen: ['T1 CLOSED'],
				changes: ['T1 OPEN>CLOSED #1'],
				then: ['T1 CLOSED 1'],
			},
		],
		[
			'a record that was reopened, and counts on',
			{
				known: ['T1 CLOSED 3'],
				seen: ['T1 OPEN'],
				changes: ['T1 CLOSED>OPEN #4'],
				then: ['T1 OPEN 4 by id'],
			},
		],
		[
			'a new record',
			{ known: [], seen: ['T1 OPEN'], changes: ['T1 (new)>OPEN #1'], then: ['T1 OPEN 1 by id'] },
		],
		[
			'a record that was made and ended between two polls',
			{ known: [], seen: ['T1 CLOSED'], changes: ['T1 (new)>CLOSED #1'], then: ['T1 CLOSED 1'] },
		],
		[
			'a status that nobody has heard of',
			{
				known: ['T1 OPEN'],
				seen: ['T1 ON_HOLD'],
				changes: ['T1 OPEN>ON_HOLD #1'],
				then: ['T1 ON_HOLD 1 by id'],
			},
		],
		[
			'nothing when only upper and lower case differ',
			{
				known: ['T1 processing'],
				seen: ['T1 PROCESSING'],
				changes: [],
				then: ['T1 processing 0 by id'],
			},
		],
		[
			'nothing of a record that was not seen: absence is no change',
			{ known: ['T1 OPEN', 'T2 CLOSED'], changes: [], then: ['T1 OPEN 0 by id', 'T2 CLOSED 0'] },
		],
		[
			'nothing of a record that was deleted, and it is forgotten',
			{ known: ['T1 OPEN', 'T2 OPEN'], gone: ['T1'], changes: [], then: ['T2 OPEN 0 by id'] },
		],
		[
			'nothing of a record that went out of sight, and it is not looked up again',
			{ known: ['T1 OPEN 2'], outside: ['T1'], changes: [], then: ['T1 OPEN 2'] },
		],
		[
			'nothing of it when it comes back as it was',
			{
				known: ['T1 CLOSED'],
				seen: ['T1 CLOSED'],
				outside: ['T1'],
				changes: [],
				then: ['T1 CLOSED 0'],
			},
		],
		[
			'a record that changed on its way out of sight',
			{
				known: ['T1 OPEN'],
				seen: ['T1 RESOLVED'],
				outside: ['T1'],
				changes: ['T1 OPEN>RESOLVED #1'],
				then: ['T1 RESOLVED 1'],
			},
		],
		[
			'several at once, in the order in which they were seen; what is new comes first in memory',
			{
				known: ['T1 OPEN', 'T2 OPEN', 'T3 CLOSED'],
				seen: ['T4 OPEN', 'T3 OPEN', 'T2 OPEN', 'T1 CLOSED'],
				changes: ['T4 (new)>OPEN #1', 'T3 CLOSED>OPEN #1', 'T1 OPEN>CLOSED #1'],
				then: ['T4 OPEN 1 by id', 'T3 OPEN 1 by id', 'T1 CLOSED 1', 'T2 OPEN 0 by id'],
			},
		],
	])('%s', (_what, testCase) => {
		const { changes, then } = result(testCase);
		expect({ changes, then }).toEqual({ changes: testCase.changes, then: testCase.then });
	});

	it('leaves what is known untouched when there is nothing to remember anew', () => {
		expect(result({ known: ['T1 OPEN'], seen: ['T1 OPEN'], changes: [], then: [] }).same).toBe(
			true,
		);
	});
});

describe('a record that is not known', () => {
	test.each<[string, Case]>([
		[
			'was something before, where only one way leads in',
			{
				known: [],
				seen: ['C1 ESCALATED'],
				rules: { strangerWas: 'NOT_ESCALATED' },
				changes: ['C1 NOT_ESCALATED>ESCALATED #1'],
				then: ['C1 ESCALATED 1 by id'],
			},
		],
		[
			'is old, if it has ended and the list did not grow, where not every record is known',
			{
				known: [],
				seen: ['T1 CLOSED'],
				rules: { whole: false },
				changes: [],
				then: ['T1 CLOSED 0'],
			},
		],
		[
			'is new, if the list grew by as many',
			{
				known: [],
				seen: ['T1 CLOSED', 'T2 OPEN'],
				arrivals: 2,
				rules: { whole: false },
				changes: ['T1 (new)>CLOSED #1', 'T2 (new)>OPEN #1'],
				then: ['T1 CLOSED 1', 'T2 OPEN 1 by id'],
			},
		],
		[
			'has certainly come there, if it still moves',
			{
				known: [],
				seen: ['T1 OPEN'],
				rules: { whole: false },
				changes: ['T1 (new)>OPEN #1'],
				then: ['T1 OPEN 1 by id'],
			},
		],
		[
			'counts from further on, where it may be one that was forgotten',
			{
				known: [],
				seen: ['T1 OPEN'],
				rules: { whole: false, changesBefore: 17 },
				changes: ['T1 (new)>OPEN #18'],
				then: ['T1 OPEN 18 by id'],
			},
		],
	])('%s', (_what, testCase) => {
		const { changes, then } = result(testCase);
		expect({ changes, then }).toEqual({ changes: testCase.changes, then: testCase.then });
	});
});

describe('against any older knowledge', () => {
	it('tells the same change again as the very same one', () => {
		const once: Case = { known: ['T1 OPEN 4'], seen: ['T1 CLOSED'], changes: [], then: [] };
		expect(result(once).changes).toEqual(result(once).changes);
		expect(result(once).changes).toEqual(['T1 OPEN>CLOSED #5']);
	});

	it('tells where a record stands now, whatever it went through meanwhile', () => {
		expect(
			result({ known: ['T1 OPEN'], seen: ['T1 CLOSED'], changes: [], then: [] }).changes,
		).toEqual(['T1 OPEN>CLOSED #1']);
	});
});

test('records in doubt are those with an ID that were not seen where they should have been', () => {
	const all = known(['T1 OPEN', 'T2 OPEN', 'T3 IN_PROGRESS', 'T4 CLOSED']);
	const seen = new Set([keyOf('T1')]);
	expect(doubtful(all, seen, (status) => status === 'OPEN')).toEqual(['T2']);
	expect(doubtful(all, seen, () => true)).toEqual(['T2', 'T3']);
});

test('older records that are learned stand behind the others and change nothing that is known', () => {
	const all = learned(known(['T1 OPEN 3']), ['T1 CLOSED', 'T0 CLOSED'].map(sighting), hasEnded);
	expect([...all.values()]).toEqual([
		{ status: 'OPEN', changes: 3, id: 'T1' },
		{ status: 'CLOSED', changes: 0 },
	]);
});

test('what is remembered first is no change', () => {
	expect([...remembered(['T1 OPEN', 'T2 CLOSED'].map(sighting), hasEnded).values()]).toEqual([
		{ status: 'OPEN', changes: 0, id: 'T1' },
		{ status: 'CLOSED', changes: 0 },
	]);
});
