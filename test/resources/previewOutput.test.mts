/** What a preview says, from what is known about template, audience and start. */
import { NodeOperationError } from 'n8n-workflow';
import { guardResult } from '../../nodes/ConversationalMessaging/resources/broadcast/guardResult.ts';
import {
	NO_COUNTS,
	toOf,
	type PreparedAudience,
	type RecipientCounts,
} from '../../nodes/ConversationalMessaging/resources/broadcast/audiences/preparedAudience.ts';
import type { BroadcastPlan } from '../../nodes/ConversationalMessaging/resources/broadcast/plan.ts';
import type { PreparedBroadcast } from '../../nodes/ConversationalMessaging/resources/broadcast/prepareBroadcast.ts';
import {
	headline,
	previewOutput,
} from '../../nodes/ConversationalMessaging/resources/broadcast/previewOutput.ts';
import type { TemplateState } from '../../nodes/ConversationalMessaging/resources/broadcast/templateCheck.ts';
import { NODE } from '../api/node.mts';

const NOON = Date.parse('2031-05-06T12:00:00+02:00');
const PHONE = '12025550143';

const ROW = {
	id: 't1',
	name: 'sale',
	language: 'en_US',
	category: 'MARKETING',
	components: [{ type: 'BODY', text: 'Hello {{1}}' }],
};
const COMPONENTS = [{ type: 'body', parameters: [{ type: 'text', text: 'Ann' }] }];

const APPROVED: TemplateState = {
	row: ROW,
	status: 'APPROVED',
	isApproved: true,
	isMissing: false,
	candidates: 1,
};
const UNLISTED: TemplateState = { isMissing: false, candidates: 0 };

interface Given {
	state?: TemplateState;
	components?: unknown[];
	template?: Partial<PreparedBroadcast['template']>;
	audience?: Partial<PreparedAudience>;
	counts?: Partial<RecipientCounts>;
	start?: Partial<PreparedBroadcast['start']>;
	body?: PreparedBroadcast['body'];
	changes?: string[];
	/** The recipients' time zone. */
	timeZone?: string;
	rejections?: NodeOperationError[];
	kind?: BroadcastPlan['audience']['kind'];
}

const prepared = (given: Given): PreparedBroadcast => ({
	body: given.body ?? {},
	audience: {
		content: { mode: 'list', recipients: [PHONE] },
		counts: { ...NO_COUNTS, sent: 1, ...given.counts },
		first: [{ to: PHONE }],
		warnings: [],
		...given.audience,
	},
	start: { scheduleType: 'now', ms: NOON, ...given.start },
	template: { name: 'sale', language: 'en_US', ...given.template },
	changes: given.changes ?? [],
});

function preview(given: Given = {}) {
	const plan = {
		settings: { name: 'Spring' },
		audience: { kind: given.kind ?? 'csvFile' },
		components: 'components' in given ? given.components : COMPONENTS,
		guards: { timeZone: given.timeZone ?? 'Europe/Berlin' },
		timeZone: 'Europe/Berlin',
	} as BroadcastPlan;
	return previewOutput(plan, prepared(given), given.state ?? APPROVED, given.rejections ?? []);
}

const rejection = (message: string, description?: string) =>
	new NodeOperationError(NODE, message, { description });

test('a broadcast that is ready says what is sent, when, and to whom', () => {
	expect(preview()).toEqual({
		ready: true,
		summary: [
			'Ready: 1 recipient, now. Nothing was sent.',
			'Template: sale (en_US), MARKETING, APPROVED',
			'Start: Tuesday 6 May 2031 12:00, Europe/Berlin',
			'',
			`Message to ${PHONE}:`,
			'Hello Ann',
		].join('\n'),
		name: 'Spring',
		recipients: {
			count: 1,
			audienceMode: 'list',
			repeatedNumbers: 0,
			repeatedNumbersLeftOut: 0,
			equalRowsLeftOut: 0,
			excludedMembersLeftOut: 0,
			contactsWithoutNumberLeftOut: 0,
			invalidNumbers: 0,
			invalidValues: [],
		},
		template: {
			id: 't1',
			name: 'sale',
			language: 'en_US',
			category: 'MARKETING',
			status: 'APPROVED',
			approved: true,
			missingVariables: [],
			extraVariables: [],
			missingColumns: [],
			extraColumns: [],
		},
		start: {
			scheduleType: 'now',
			at: '2031-05-06T12:00:00+02:00',
			text: 'Tuesday 6 May 2031 12:00, Europe/Berlin',
			recipientText: 'Tuesday 6 May 2031 12:00, Europe/Berlin',
		},
		blockers: [],
		warnings: [],
		changes: [],
		messages: [{ to: PHONE, body: 'Hello Ann' }],
	});
});

test('the summary lists what keeps it from being sent, what to check, and what differs', () => {
	const { ready, summary } = preview({
		rejections: [rejection('Too many', 'Raise it.')],
		audience: { warnings: ['One number is odd'], first: [] },
		changes: ['Left out 2 rows'],
		start: { scheduleType: 'schedule' },
		timeZone: 'America/New_York',
	});
	expect(ready).toBe(false);
	expect(summary.split('\n')).toEqual([
		'Not ready: 1 recipient, Tuesday 6 May 2031 06:00, America/New_York. Nothing was sent.',
		'Template: sale (en_US), MARKETING, APPROVED',
		'Start: Tuesday 6 May 2031 12:00, Europe/Berlin (Tuesday 6 May 2031 06:00, America/New_York)',
		'Blocker: Too many. Raise it.',
		'Check: One number is odd',
		'Change: Left out 2 rows',
	]);
});

test('the hint is the first line, and the first blocker', () => {
	expect(headline(preview())).toBe('Ready: 1 recipient, now. Nothing was sent.');
	const blocked = preview({ rejections: [rejection('First', 'Do it.'), rejection('Second', '')] });
	expect(headline(blocked)).toBe('Not ready: 1 recipient, now. Nothing was sent. First. Do it.');
	expect(headline({ ...blocked, blockers: [] })).toBe(
		'Not ready: 1 recipient, now. Nothing was sent. ',
	);
});

test.each<[counts: Partial<RecipientCounts>, shown: string]>([
	[{ sent: 0 }, '0 recipients'],
	[{ sent: 1 }, '1 recipient'],
	[{ sent: 12_000 }, '12000 recipients'],
	[{ sent: undefined }, 'an unknown number of recipients'],
	[{ sent: undefined, moreThan: 5 }, 'more than 5 recipients'],
	[{ sent: undefined, moreThan: 0 }, 'more than 0 recipients'],
])('with the counts %j, the summary says %s', (counts, shown) => {
	expect(preview({ counts }).summary).toMatch(`Ready: ${shown}, now. `);
});

test('what is left out is counted, in the preview and in what Create returns', () => {
	const counts = {
		sent: undefined,
		repeated: 2,
		skipsRepeated: true,
		equalRows: 3,
		excluded: 4,
		withoutNumber: 5,
		invalid: 6,
		invalidValues: ['x', undefined, ''],
	};
	const leftOut = {
		repeatedNumbersLeftOut: 2,
		equalRowsLeftOut: 3,
		excludedMembersLeftOut: 4,
		contactsWithoutNumberLeftOut: 5,
	};
	expect(preview({ counts }).recipients).toEqual({
		count: null,
		audienceMode: 'list',
		repeatedNumbers: 2,
		...leftOut,
		invalidNumbers: 6,
		invalidValues: ['x', null, ''],
	});
	const kept = { ...counts, skipsRepeated: false };
	expect(preview({ counts: kept }).recipients).toMatchObject({
		repeatedNumbers: 2,
		repeatedNumbersLeftOut: 0,
	});
	const more = { changes: ['Left out 3 rows'], audience: { warnings: ['One is odd'] } };
	const texts = { changes: ['Left out 3 rows'], warnings: ['One is odd'] };
	expect(guardResult(prepared({ ...more, audience: { ...more.audience }, counts }))).toEqual({
		recipients: null,
		...leftOut,
		// Nobody had to count them.
		invalidNumbers: null,
		...texts,
	});
	expect(guardResult(prepared({ ...more, counts: { ...kept, sent: 0 } }))).toEqual({
		recipients: 0,
		...leftOut,
		repeatedNumbersLeftOut: 0,
		invalidNumbers: 6,
		...texts,
	});
});

test('a postponed start says what it was before', () => {
	const start = {
		scheduleType: 'schedule' as const,
		sendAt: '2031-05-06T12:00:00+02:00',
		postponedFrom: NOON - 3_600_000,
	};
	expect(preview({ start }).start).toMatchObject({ postponedFrom: '2031-05-06T11:00:00+02:00' });
	expect(guardResult(prepared({ start }))).toMatchObject({
		startsAt: '2031-05-06T12:00:00+02:00',
		startPostponedFrom: '2031-05-06T09:00:00+00:00',
	});
	expect(guardResult(prepared({}))).not.toHaveProperty('startsAt');
	expect(preview({ start: { ...start, postponedFrom: 0 } }).start.postponedFrom).toBe(
		'1970-01-01T01:00:00+01:00',
	);
});

describe('the template', () => {
	const missing = { isMissing: true, candidates: 0 };
	test.each<[what: string, given: Given, blockers: string[], warnings: string[]]>([
		['that is approved', {}, [], []],
		[
			'that is not approved',
			{ state: { ...APPROVED, isApproved: false, status: 'PAUSED' } },
			[
				'The template is not approved: its status is PAUSED. Choose another, or run Template → Sync',
			],
			[],
		],
		[
			'whose status says nothing',
			{ state: { ...APPROVED, isApproved: undefined, status: 'XYZ' } },
			[],
			['The status of the template, XYZ, does not show whether it is approved.'],
		],
		[
			'without a status',
			{ state: { ...APPROVED, isApproved: undefined, status: undefined } },
			[],
			['The service does not show whether the template is approved.'],
		],
		[
			'that does not exist',
			{ state: missing },
			[
				'The service has no template sale in en_US for the chosen channel. Pick one from the list, or correct name and language',
			],
			[],
		],
		[
			'whose ID does not exist',
			{ state: missing, template: { id: 't9' } },
			[
				'The service has no template sale in en_US with the ID t9 for the chosen channel. Pick one from the list, or correct name and language',
			],
			[],
		],
		[
			'that is not listed',
			{ state: UNLISTED },
			[],
			[
				'The service does not list the template, so its approval and its variables are unknown. If it belongs to a channel, choose that channel in the options.',
			],
		],
		[
			'that is not listed for a channel',
			{ state: UNLISTED, body: { channelId: 'c1' } },
			[],
			[
				'The service does not list the template for the chosen channel, so its approval and its variables are unknown.',
			],
		],
		[
			'that could be one of several',
			{ state: { ...APPROVED, candidates: 2 } },
			[],
			['2 templates have this name and language. Pick one from the list.'],
		],
		[
			'whose variable is empty',
			{ components: undefined },
			['Template variable Body {{1}} is empty'],
			[],
		],
		[
			'that lacks a variable',
			{ state: { ...APPROVED, row: { ...ROW, components: [{ type: 'BODY', text: 'Hello' }] } } },
			['The template has no variable body:1'],
			[],
		],
		[
			'whose text is not shown',
			{ state: { ...APPROVED, row: { ...ROW, components: [] } } },
			[],
			[
				'The service does not show the text of the template, so its variables are not checked and there is no message.',
			],
		],
		[
			'whose category is entered in lower case',
			{ body: { templateCategory: 'marketing' } },
			[],
			[],
		],
		[
			'whose category is another one',
			{ body: { templateCategory: 'UTILITY' } },
			[],
			[
				'Template Category is UTILITY, but the template’s category is MARKETING. Correct the option, or remove it.',
			],
		],
		[
			'that shows no category',
			{
				state: { ...APPROVED, row: { ...ROW, category: undefined } },
				body: { templateCategory: 'A' },
			},
			[],
			[],
		],
	])('%s', (_what, given, blockers, warnings) => {
		const output = preview(given);
		expect(output.blockers).toEqual(blockers);
		expect(output.warnings).toEqual(warnings);
		expect(output.ready).toBe(blockers.length === 0);
	});

	test.each<[own: unknown, entered: unknown, shown: string | null]>([
		['UTILITY', 'MARKETING', 'UTILITY'],
		[undefined, 'MARKETING', 'MARKETING'],
		[null, 'MARKETING', 'MARKETING'],
		[undefined, undefined, null],
		[7, 'MARKETING', null],
	])('with the category %j, and %j for the broadcast, it is shown as %j', (own, entered, shown) => {
		const state = { ...APPROVED, row: { ...ROW, category: own as string } };
		const output = preview({ state, body: { templateCategory: entered as string } });
		expect(output.template.category).toBe(shown);
	});

	test('its ID is the chosen one, else that of the list', () => {
		expect(preview({ template: { id: 't9' } }).template.id).toBe('t9');
		const state = { ...APPROVED, row: { ...ROW, id: 7 } };
		expect(preview({ state }).template.id).toBe('7');
		expect(preview({ state: UNLISTED }).template).not.toHaveProperty('id');
	});

	test('what is unknown is null', () => {
		const { template, messages, summary } = preview({ state: UNLISTED });
		expect(template).toMatchObject({ category: null, status: null, approved: null });
		expect(messages).toEqual([]);
		expect(summary.split('\n')[1]).toBe('Template: sale (en_US)');
	});
});

test('what Create stops at comes first, and a blocker that is found in two ways counts once', () => {
	const state = { ...APPROVED, isApproved: false, status: 'PAUSED' };
	const own = 'Template variable Body {{1}} is empty';
	const { blockers } = preview({
		state,
		components: [],
		rejections: [
			rejection('First', 'Do it.'),
			rejection(own, 'Fill it.'),
			rejection('First', 'Do it.'),
			rejection('First', 'Do it twice.'),
		],
	});
	expect(blockers).toEqual([
		'First. Do it.',
		`${own}. Fill it.`,
		'First. Do it twice.',
		'The template is not approved: its status is PAUSED. Choose another, or run Template → Sync',
	]);
});

describe('the columns of a CSV', () => {
	const withColumns = (
		given: string[],
		template?: string[],
		more: Partial<PreparedAudience> = {},
	) =>
		preview({
			components: undefined,
			audience: { columns: { given, template }, first: [], ...more },
		});

	test('are compared with those of the template’s own CSV', () => {
		const output = withColumns(['phone', 'city'], ['phone', '1']);
		expect(output.blockers).toEqual(['The CSV has no column 1']);
		expect(output.warnings).toEqual(['The template has no variable for the column "city".']);
		expect(output.template).toMatchObject({
			missingVariables: [],
			missingColumns: ['1'],
			extraColumns: ['city'],
		});
	});

	test.each<[kind: BroadcastPlan['audience']['kind'], extra: string[], warning: string]>([
		['csvFile', ['a', 'b'], 'The template has no variable for the columns "a", "b".'],
		[
			'csvOfItems',
			['a'],
			'The field "a" of the input items is not in the template’s CSV, so it is not sent.',
		],
		[
			'csvOfItems',
			['a', 'b'],
			'The fields "a", "b" of the input items are not in the template’s CSV, so they are not sent.',
		],
	])(
		'that the template lacks are sent or not, as the warning says: %s %j',
		(kind, extra, warning) => {
			const columns = { given: ['phone', ...extra], template: ['phone'] };
			const { warnings, ready } = preview({ kind, audience: { columns, first: [] } });
			expect(warnings).toEqual([warning]);
			expect(ready).toBe(true);
		},
	);

	test('of a file may be spelled otherwise than in the template, those of input items may not', () => {
		const columns = { given: ['PHONE', 'Name'], template: ['phone', 'Name'] };
		const row = { PHONE, Name: 'Ann' };
		const audience = { columns, first: [{ to: PHONE, row }] };
		const file = preview({ kind: 'csvFile', audience });
		expect(file.blockers).toEqual([]);
		expect(file.warnings).toEqual([
			'The template’s CSV spells the column "PHONE" of the CSV file differently: "phone". Rename it if the service rejects the file.',
		]);
		const items = preview({ kind: 'csvOfItems', audience });
		expect(items.blockers).toEqual(['The CSV has no column phone']);
		expect(items.template.extraColumns).toEqual(['PHONE']);
	});

	test('are not compared if the service shows no CSV of its own', () => {
		const { ready, template } = withColumns(['phone', 'city']);
		expect(ready).toBe(true);
		expect(template).toMatchObject({ missingColumns: [], extraColumns: [] });
	});

	test.each<[what: string, template: string[] | undefined, body: string]>([
		['the column that the template has', ['phone', 'name', '1'], 'Hello Ann'],
		['the column of the same name if the template shows none', undefined, 'Hello Ann'],
		['no column at all', ['phone'], 'Hello {{1}}'],
	])('give a message its values: %s', (_what, template, body) => {
		const row = { phone: PHONE, '1': 'Ann' };
		const { messages } = withColumns(['phone', '1'], template, { first: [{ to: PHONE, row }] });
		expect(messages).toEqual([{ to: PHONE, body }]);
	});

	test('that are unknown give none', () => {
		const row = { phone: PHONE, '1': 'Ann' };
		expect(preview({ audience: { first: [{ row }] } }).messages).toEqual([{ body: 'Hello {{1}}' }]);
	});
});

test('the first message is shown with its parts and buttons, without empty ones', () => {
	const components = [
		{ type: 'HEADER', format: 'TEXT', text: 'Sale' },
		{ type: 'BODY', text: 'Hello' },
		{ type: 'FOOTER', text: '' },
		{ type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Stop' }] },
	];
	const { summary } = preview({
		components: [],
		state: { ...APPROVED, row: { ...ROW, components } },
		audience: { first: [{}, { to: PHONE }] },
	});
	expect(summary.split('\n').slice(3)).toEqual(['', 'Message:', 'Sale', 'Hello', '[Stop]']);
});

test('the recipient in a row is known if its column is', () => {
	expect(toOf({ phone: PHONE }, 'phone')).toBe(PHONE);
	expect(toOf({ phone: PHONE }, undefined)).toBeUndefined();
});
