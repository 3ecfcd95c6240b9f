/** Who receives a broadcast to entered numbers and to input items, and who is counted as left out. */
import type { NodeOperationError } from 'n8n-workflow';
import { fromCsvItems } from '../../nodes/ConversationalMessaging/resources/broadcast/audiences/csvItems.ts';
import {
	fromItems,
	fromNumbers,
} from '../../nodes/ConversationalMessaging/resources/broadcast/audiences/numbers.ts';
import {
	invalidNumbersWarning,
	type PreparedAudience,
} from '../../nodes/ConversationalMessaging/resources/broadcast/audiences/preparedAudience.ts';
import { NumberSet } from '../../nodes/ConversationalMessaging/resources/broadcast/numberSet.ts';
import type { BroadcastPlan } from '../../nodes/ConversationalMessaging/resources/broadcast/plan.ts';
import { OperationContext } from '../../nodes/ConversationalMessaging/runner/operationContext.ts';
import { clientWith } from '../api/service.mts';

const [A, B, C, D] = ['12025550100', '12025550101', '12025550102', '12025550103'] as const;

function excluding(...numbers: string[]): NumberSet {
	const set = new NumberSet();
	for (const number of numbers) set.add(Number(number));
	return set;
}

const NOBODY_LEFT_OUT = {
	repeated: 0,
	skipsRepeated: true,
	equalRows: 0,
	excluded: 0,
	withoutNumber: 0,
	invalid: 0,
	invalidValues: [],
};

const context = new OperationContext(clientWith({}), {
	endpoint: 'POST /broadcasts',
	action: 'Create broadcast',
});

/** What keeps the broadcast from being sent, and how it is prepared to collect it. */
function preparation() {
	const rejections: NodeOperationError[] = [];
	const reject = (error: NodeOperationError) => rejections.push(error);
	return { rejections, how: { reject, forPreview: false } };
}

describe('entered phone numbers', () => {
	test('are sent as they are, with the first three to show', () => {
		expect(fromNumbers([A, B, C, D], [], undefined)).toEqual({
			content: { mode: 'list', recipients: [A, B, C, D] },
			counts: { ...NOBODY_LEFT_OUT, sent: 4 },
			first: [{ to: A }, { to: B }, { to: C }],
			warnings: [],
		});
	});

	test.each<[numbers: string[], excluded: string[], sent: string[], counts: object]>([
		[[], [], [], {}],
		[[A, B, A, A], [], [A, B], { repeated: 2 }],
		[[A, B], [B], [A], { excluded: 1 }],
		// Somebody who is excluded is not repeated, too.
		[[A, B, B], [B], [A], { excluded: 2 }],
		[[A], [], [A], {}],
		// One WhatsApp account
		[['5215512345678', '525512345678'], [], ['5215512345678'], { repeated: 1 }],
	])('%j without %j are sent to %j', (numbers, excluded, sent, counts) => {
		const audience = fromNumbers(numbers, [], excluding(...excluded));
		expect(audience.content).toEqual({ mode: 'list', recipients: sent });
		expect(audience.counts).toEqual({ ...NOBODY_LEFT_OUT, sent: sent.length, ...counts });
	});

	test('of values that are no numbers, all are counted and ten are shown', () => {
		const unusable = Array.from({ length: 11 }, (_, n) => `n/a ${n}`);
		expect(fromNumbers([A], unusable, undefined).counts).toEqual({
			...NOBODY_LEFT_OUT,
			sent: 1,
			invalid: 11,
			invalidValues: unusable.slice(0, 10),
		});
	});
});

describe('the phone numbers of input items', () => {
	const inputs = [
		{ itemIndex: 0, numbers: [A, B] },
		{ itemIndex: 1, numbers: [C], unusable: ['n/a'] },
		{ itemIndex: 2, numbers: [D], unusable: [] },
		{ itemIndex: 3 },
	];
	const prepared = (continuesOnFail: boolean, given = inputs) => {
		const { rejections, how } = preparation();
		const plan = { continuesOnFail } as BroadcastPlan;
		const audience = fromItems(context, plan, given, excluding(B), how);
		return { audience, rejections: rejections.map(({ message }) => message) };
	};
	const message = expect.stringMatching(
		/^1 input item has no valid phone number: "n\/a" \(item 1\)/,
	);

	test('are sent without those of an item that has another value', () => {
		const { audience } = prepared(true);
		expect(audience.content).toEqual({ mode: 'list', recipients: [A, D] });
		expect(audience.counts).toEqual({
			...NOBODY_LEFT_OUT,
			sent: 2,
			excluded: 1,
			invalid: 1,
			invalidValues: ['n/a'],
		});
	});

	test('are rejected with it, unless the node continues: then it is a warning', () => {
		const rejecting = prepared(false);
		expect([rejecting.rejections, rejecting.audience.warnings]).toEqual([[message], []]);
		const continuing = prepared(true);
		expect([continuing.rejections, continuing.audience.warnings]).toEqual([[], [message]]);
	});

	test.each([true, false])('have nothing to check if all are valid (continue: %s)', (continues) => {
		const { audience, rejections } = prepared(continues, [inputs[0]!, inputs[2]!, inputs[3]!]);
		expect([rejections, audience.warnings]).toEqual([[], []]);
		expect(audience.counts).toEqual({ ...NOBODY_LEFT_OUT, sent: 2, excluded: 1 });
	});
});

describe('a CSV of input items', () => {
	interface Given {
		columns?: string[];
		variables?: string[];
		skipRepeated?: boolean;
		excluded?: NumberSet;
	}

	async function prepared(rows: Record<string, unknown>[], given: Given = {}) {
		const { columns = ['phone', 'name'], variables = [], skipRepeated = true, excluded } = given;
		const { rejections, how } = preparation();
		const plan = { guards: { skipRepeated } } as BroadcastPlan;
		const inputs = rows.map((row, at) => ({ itemIndex: at * 10, row }));
		const template = { columns: async () => columns, variables: async () => variables };
		const audience = await fromCsvItems(
			context,
			plan,
			inputs as Parameters<typeof fromCsvItems>[2],
			template,
			excluded,
			how,
		);
		return { ...audience, csv: textOf(audience), rejections: rejections.map(shown) };
	}
	const shown = ({ message, description }: NodeOperationError) =>
		`${message}. ${description ?? ''}`;

	function textOf({ content }: PreparedAudience): string {
		if (content.mode !== 'csv' || !('bytes' in content.file.content)) throw new Error('no CSV');
		expect(content.file).toMatchObject({ fileName: 'audience.csv', mimeType: 'text/csv' });
		return Buffer.from(content.file.content.bytes).toString().replaceAll('\r\n', '\n').trimEnd();
	}

	test('has the columns of the template, a row per item, and the first three to show', async () => {
		const rows = [A, B, C, D].map((phone) => ({ phone: `+${phone}`, name: 'x', city: 'Rome' }));
		const audience = await prepared(rows);
		expect(audience.csv).toBe(['phone,name', ...[A, B, C, D].map((to) => `${to},x`)].join('\n'));
		expect(audience.counts).toEqual({ ...NOBODY_LEFT_OUT, sent: 4 });
		expect(audience.first).toEqual([A, B, C].map((to) => ({ to, row: { phone: to, name: 'x' } })));
		expect(audience.columns).toEqual({
			given: ['phone', 'name', 'city'],
			template: ['phone', 'name'],
		});
		expect([audience.warnings, audience.rejections]).toEqual([[], []]);
	});

	const REPEATED = [
		{ phone: A, name: 'Ann' },
		{ phone: A, name: 'Ann' },
		{ phone: `+${A}`, name: 'Bob' },
		{ phone: B, name: 'Eve' },
	];

	test('has each number once with Skip Repeated Numbers', async () => {
		const audience = await prepared(REPEATED);
		expect(audience.csv).toBe(`phone,name\n${A},Ann\n${B},Eve`);
		expect(audience.counts).toEqual({ ...NOBODY_LEFT_OUT, sent: 2, repeated: 1, equalRows: 1 });
		expect(audience.warnings).toEqual([]);
	});

	test('has repeated numbers without it, with a warning, but equal rows once', async () => {
		const audience = await prepared(REPEATED, { skipRepeated: false });
		expect(audience.csv).toBe(`phone,name\n${A},Ann\n${A},Bob\n${B},Eve`);
		expect(audience.counts).toEqual({
			...NOBODY_LEFT_OUT,
			skipsRepeated: false,
			sent: 3,
			repeated: 1,
			equalRows: 1,
		});
		expect(audience.warnings).toEqual([
			'In 1 input item, the phone number is that of an earlier item. To send to each number once, turn on Skip Repeated Numbers.',
		]);
	});

	test.each([true, false])(
		'has nobody who is excluded (skip repeated: %s)',
		async (skipRepeated) => {
			const audience = await prepared(REPEATED, { skipRepeated, excluded: excluding(A) });
			expect(audience.csv).toBe(`phone,name\n${B},Eve`);
			expect(audience.counts).toMatchObject({ sent: 1, excluded: 2, repeated: 0 });
		},
	);

	test('is rejected if an item has no valid number, and ten of them are shown', async () => {
		const rows = Array.from({ length: 11 }, (_, n) => ({ phone: `n/a ${n}`, name: 'x' }));
		const audience = await prepared([{ phone: A, name: 'x' }, ...rows]);
		expect(audience.rejections).toEqual([
			expect.stringMatching(/^The field phone has no valid phone number in 11 input items: /),
		]);
		expect(audience.counts).toEqual({
			...NOBODY_LEFT_OUT,
			sent: 1,
			invalid: 11,
			invalidValues: rows.slice(0, 10).map(({ phone }) => phone),
		});
	});

	test('shows columns without a value, and the items', async () => {
		const audience = await prepared([
			{ phone: A, name: 'Ann' },
			{ phone: B, name: ' ' },
			{ phone: C, name: null },
			{ phone: B, name: '' },
		]);
		expect(audience.warnings).toEqual([
			'In 2 input items, the column "name" has no value: items 10, 20.',
		]);
	});

	test('is rejected for a column that no item has, without a warning about its values', async () => {
		const { rejections, warnings } = await prepared([{ phone: A }, { phone: B }]);
		expect(rejections).toEqual([expect.stringMatching(/^No input item has the field name\./)]);
		expect(warnings).toEqual([]);
	});

	describe('whose column of phone numbers is not known', () => {
		const columns = ['contact', 'name'];
		const rows = [
			{ contact: A, name: 'Ann' },
			{ contact: `+${A}`, name: 'Ann' },
		];

		test.each<[when: string, given: Given]>([
			['repeated numbers are to be left out', {}],
			['somebody is excluded', { skipRepeated: false, excluded: excluding(A) }],
		])('is rejected if %s', async (_when, given) => {
			const { rejections, warnings } = await prepared(rows, { columns, ...given });
			expect(rejections).toEqual([
				'The template’s CSV has no column with a name such as phone: contact, name. Nothing was sent. Turn off Skip Repeated Numbers and remove Exclude Segment.',
			]);
			expect(warnings).toEqual([]);
		});

		test('is sent unchanged otherwise, with a warning', async () => {
			const audience = await prepared(rows, { columns, skipRepeated: false });
			expect(audience.csv).toBe(`contact,name\n${A},Ann\n+${A},Ann`);
			expect(audience.first.map(({ to }) => to)).toEqual([undefined, undefined]);
			expect(audience.warnings).toEqual([
				'The template’s CSV has no column with a name such as phone: contact, name. Phone numbers are sent unchanged, and are not checked.',
			]);
			expect(audience.rejections).toEqual([]);
		});

		test('because several have such a name, says which', async () => {
			const given = { columns: ['phone', 'mobile'], skipRepeated: false };
			const { warnings } = await prepared([{ phone: A, mobile: B }], given);
			expect(warnings[0]).toMatch(
				/^Several columns of the template’s CSV may contain the phone numbers: phone, mobile\./,
			);
		});

		test('is known if the other column is a variable of the template', async () => {
			const given = { columns: ['phone', 'mobile'], variables: ['body:mobile'] };
			const { first, rejections } = await prepared([{ phone: A, mobile: B }], given);
			expect(first[0]!.to).toBe(A);
			expect(rejections).toEqual([]);
		});
	});

	test('whose template has two columns of one name has the same value in both', async () => {
		const audience = await prepared([{ phone: A, name: 'Ann' }], {
			columns: ['phone', 'name', 'phone'],
		});
		expect(audience.csv).toBe(`phone,name,phone\n${A},Ann,${A}`);
		expect(audience.rejections).toEqual([]);
	});
});

test.each<[values: string[], warnings: string[]]>([
	[[], []],
	[['n/a'], ['Members: 1. The first: "n/a".']],
	[
		Array.from({ length: 11 }, (_, n) => `${n}`),
		['Members: 11. The first: "0", "1", "2", "3", "4", "5", "6", "7", "8", "9".'],
	],
])('of the values %j that are no numbers, a warning shows ten', (values, warnings) => {
	expect(invalidNumbersWarning('Members', values)).toEqual(warnings);
});
