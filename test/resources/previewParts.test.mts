import fc from 'fast-check';
import { templateText } from '../../nodes/ConversationalMessaging/parameters/templateText.ts';
import {
	columnNamed,
	columnOf,
} from '../../nodes/ConversationalMessaging/resources/broadcast/csvColumns.ts';
import { startOf } from '../../nodes/ConversationalMessaging/resources/broadcast/start.ts';
import {
	templateState,
	variableDifferences,
} from '../../nodes/ConversationalMessaging/resources/broadcast/templateCheck.ts';

const row = (id: string, more: object = {}) => ({
	id,
	name: 'sale',
	language: 'en_US',
	status: 'APPROVED',
	...more,
});
const named = { name: 'sale', language: 'en_US' };

describe('the state of a template', () => {
	test.each<[status: unknown, isApproved: boolean | undefined]>([
		['APPROVED', true],
		['approved', true],
		['Active - Quality pending', true],
		[{ name: 'APPROVED' }, true],
		['PENDING', false],
		['IN_APPEAL', false],
		['in review', false],
		['REJECTED', false],
		['PAUSED', false],
		['DISABLED', false],
		['INACTIVE', false],
		['NOT_APPROVED', false],
		['UNAPPROVED', false],
		['LIMIT_EXCEEDED', false],
		...['InReview', 'inAppeal', 'limitExceeded', 'notApproved', 'new'].map(
			(status): [unknown, boolean] => [status, false],
		),
		['newest', undefined],
		['unpaused', undefined],
		['XYZ', undefined],
		[undefined, undefined],
		[7, undefined],
	])('with the status %j, it is approved: %s', (status, isApproved) => {
		expect(templateState([row('1', { status })], named, undefined).isApproved).toBe(isApproved);
	});

	test('its ID decides; otherwise its language and its channel', () => {
		const list = [
			row('1', { language: 'de' }),
			row('2', { channelId: 'a' }),
			row('3', { channelId: null }),
			row('4', { channelId: 'b', status: 'REJECTED' }),
		];
		const idOf = (template: object, channelId?: string) =>
			templateState({ data: list }, { ...named, ...template }, channelId).row?.id;
		expect(idOf({})).toBe('3');
		expect(idOf({}, 'a')).toBe('2');
		expect(idOf({}, 'b')).toBe('4');
		expect(idOf({}, 'c')).toBe('3');
		expect(idOf({ language: 'de' })).toBe('1');
		expect(idOf({ id: '4' }, 'a')).toBe('4');
		// Never another one with the same name.
		expect(idOf({ id: '9' })).toBeUndefined();
		expect(idOf({ language: 'fr' })).toBeUndefined();
		expect(idOf({ name: 'other' })).toBeUndefined();
		// A row without an ID is no reason to stop.
		const { id: _id, ...nameless } = row('1');
		expect(templateState([nameless, row('2')], { ...named, id: '2' }, undefined).row?.id).toBe('2');
	});

	test('a template that names no channel, or none, is for every channel', () => {
		const list = [row('1', { channelId: 'a' }), row('2')];
		expect(templateState(list, named, 'b').row?.id).toBe('2');
		const shared = [row('1', { channelId: null }), row('2')];
		expect(templateState(shared, named, undefined)).toMatchObject({
			row: { id: '1' },
			candidates: 2,
		});
	});

	test('of several lists, the one of templates counts', () => {
		const data = { others: [row('9')], templates: [row('1')] };
		expect(templateState({ data }, named, undefined).row?.id).toBe('1');
	});

	test('several templates that the service could choose are counted', () => {
		const list = [row('1', { channelId: 'a' }), row('2', { channelId: 'b' })];
		expect(templateState(list, named, undefined).candidates).toBe(2);
		expect(templateState(list, named, 'a').candidates).toBe(1);
		expect(templateState([], named, 'a')).toEqual({
			row: undefined,
			status: undefined,
			isApproved: undefined,
			isMissing: false,
			candidates: 0,
		});
	});

	test.each<[list: object, isMissing: boolean]>([
		[{ data: [], meta: { total: 0 } }, true],
		[{ data: [row('1', { language: 'de' })], meta: { total: 1 } }, true],
		[{ data: { templates: [], total: 0 } }, true],
		[{ data: [row('1')], meta: { total: 1 } }, false],
		// The service may have more than it lists.
		[{ data: [row('1', { language: 'de' })], meta: { total: 2 } }, false],
		[{ data: [] }, false],
		[{ data: [], meta: { page: 1, limit: 50 } }, false],
		[{ data: 'x', meta: { total: 0 } }, false],
		[{ success: true }, false],
	])('in %j, it is missing: %s', (list, isMissing) => {
		expect(templateState(list, named, undefined).isMissing).toBe(isMissing);
	});

	test('any JSON as a list is read without throwing', () => {
		fc.assert(fc.property(fc.jsonValue(), (list) => void templateState(list, named, 'a')));
	});
});

test('variables without a value and values without a variable are found, by position and by name', () => {
	const body = (text: string) => ({ components: [{ type: 'BODY', text }] });
	const texts = (...list: object[]) => [{ type: 'body', parameters: list }];
	expect(variableDifferences(body('{{1}} {{2}}'), texts({ type: 'text', text: 'a' }))).toEqual({
		missing: ['Body {{2}}'],
		extra: [],
	});
	expect(variableDifferences(body('Hi'), texts({ type: 'text', text: 'a' }))).toEqual({
		missing: [],
		extra: ['body:1'],
	});
	expect(variableDifferences(body('{{name}}'), texts({ type: 'text', text: 'a' }))).toEqual({
		missing: ['Body {{name}}'],
		extra: ['body:1'],
	});
	expect(variableDifferences(body('{{1}}'))).toEqual({ missing: ['Body {{1}}'], extra: [] });
});

test('a template is shown with its variables filled in, and without a value as it is', () => {
	const components = [
		{ type: 'HEADER', format: 'IMAGE' },
		{ type: 'BODY', text: 'Hello {{ 1 }}, {{2}} off.\n{{1}}!' },
		{ type: 'FOOTER', text: 'Reply STOP' },
		{
			type: 'BUTTONS',
			buttons: [
				{ type: 'URL', text: 'Shop', url: 'https://shop.example.com/{{1}}' },
				{ type: 'QUICK_REPLY', text: 'No' },
				{ type: 'COPY_CODE', text: 'Copy' },
			],
		},
	];
	const values: Record<string, string> = {
		'header:image': 'https://cdn.example.com/a.png',
		'body:1': '$& {{2}}',
		'button:0:url': 'spring',
		'button:2:copy_code': 'SAVE20',
	};
	expect(templateText(components, (id) => values[id])).toEqual({
		header: '[image] https://cdn.example.com/a.png',
		body: 'Hello $& {{2}}, {{2}} off.\n$& {{2}}!',
		footer: 'Reply STOP',
		buttons: ['Shop: https://shop.example.com/spring', 'No', 'Copy: SAVE20'],
	});
	fc.assert(fc.property(fc.jsonValue(), (any) => void templateText(any, () => 'x')));
});

test.each<[what: string, components: unknown, shown: object]>([
	['no list of components', { type: 'BODY', text: 'x' }, {}],
	[
		'a text header',
		[{ type: 'HEADER', text: '{{ first_name }}!' }],
		{ header: 'header:text:first_name!' },
	],
	[
		'a header format of its own',
		[{ type: 'header', format: 'LOCATION', text: 'Here' }],
		{ header: 'Here' },
	],
	[
		'spaces in a placeholder',
		[{ type: 'BODY', text: '{{  first_name  }}' }],
		{ body: 'body:first_name' },
	],
	['buttons that are no list', [{ type: 'BUTTONS', buttons: 'none' }], { buttons: [] }],
	[
		'buttons without text, and other things',
		[{ type: 'BUTTONS', buttons: [{}, null, 'x', { text: 'Yes' }] }],
		{ buttons: ['Yes'] },
	],
	[
		'a URL with a named variable',
		[{ type: 'BUTTONS', buttons: [{ text: 'Shop', url: 'https://a.example.com/{{ order_id }}' }] }],
		{ buttons: ['Shop: https://a.example.com/button:0:url'] },
	],
])('a template with %s is shown as far as it can be', (_what, components, shown) => {
	const named = (id: string) => (id.endsWith('copy_code') ? undefined : id);
	expect(templateText(components, named)).toEqual(shown);
});

test('the header of a template shows its medium alone if it has no value', () => {
	const components = [{ type: 'HEADER', format: 'image' }];
	expect(templateText(components, () => undefined)).toEqual({ header: '[image]' });
});

test.each<[id: string, columns: string[], column: string | undefined]>([
	['body:1', ['phone', '1'], '1'],
	['body:1', ['phone', '{{1}}'], '{{1}}'],
	['body:2', ['phone', 'body_1', 'Body 2'], 'Body 2'],
	['body:name', ['phone', 'Name'], 'Name'],
	['header:image', ['phone', 'header_image'], 'header_image'],
	['header:image', ['phone', 'Header URL'], 'Header URL'],
	['header:image', ['phone', 'Image URL'], 'Image URL'],
	['body:1', ['Body 1', 'body_1'], 'Body 1'],
	['header:text:1', ['header_1'], 'header_1'],
	['button:0:url', ['button_1'], 'button_1'],
	['button:1:copy_code', ['button_2'], 'button_2'],
	['body:1', ['phone', 'first'], undefined],
	['body:1', ['11', 'header_1'], undefined],
	['body:phone', ['phone', 'name', 'body_phone'], 'body_phone'],
])('the value of %s is in the column of %j called %s', (id, columns, column) => {
	expect(columnOf(id, columns)).toBe(column);
});

test.each<[name: string, columns: string[], column: string | undefined]>([
	['phone', ['name', 'phone'], 'phone'],
	['phone', ['Phone', 'phone'], 'phone'],
	['first_name', ['phone', 'First Name'], 'First Name'],
	['phone', ['PHONE', 'Phone'], 'PHONE'],
	['phone', ['phones'], undefined],
	['phone', [], undefined],
	['#', ['phone', '#'], '#'],
	['#', ['phone', '?'], undefined],
])('the column called %s in %j is %s', (name, columns, column) => {
	expect(columnNamed(name, columns)).toBe(column);
});

describe('the start of a broadcast', () => {
	const quietHours = { from: 21 * 60, until: 8 * 60 };
	const berlin = 'Europe/Berlin';
	const moment = (iso: string) => ({ iso, ms: Date.parse(iso), readAt: 0 });
	const NIGHT = Date.parse('2031-05-06T23:30:00+02:00');
	const NOON = Date.parse('2031-05-06T12:00:00+02:00');

	test('without a time, it is now, or the end of the quiet hours', () => {
		expect(startOf(undefined, { timeZone: berlin }, NIGHT, 'UTC')).toEqual({
			scheduleType: 'now',
			ms: NIGHT,
		});
		expect(startOf(undefined, { timeZone: berlin, quietHours }, NOON, 'UTC')).toEqual({
			scheduleType: 'now',
			ms: NOON,
		});
		expect(startOf(undefined, { timeZone: berlin, quietHours }, NIGHT, 'UTC')).toEqual({
			scheduleType: 'schedule',
			sendAt: '2031-05-07T06:00:00+00:00',
			ms: Date.parse('2031-05-07T06:00:00Z'),
			postponedFrom: NIGHT,
		});
	});

	test('a chosen time is sent unchanged outside of the quiet hours', () => {
		const at = moment('2031-05-06T12:00:00+02:00');
		expect(startOf(at, { timeZone: berlin, quietHours }, NIGHT, 'UTC')).toEqual({
			scheduleType: 'schedule',
			sendAt: at.iso,
			ms: at.ms,
		});
		const quiet = moment('2031-05-06T21:00:00+02:00');
		expect(startOf(quiet, { timeZone: berlin, quietHours }, NOON, berlin)).toMatchObject({
			sendAt: '2031-05-07T08:00:00+02:00',
			postponedFrom: quiet.ms,
		});
		// It is only three in the afternoon for these recipients.
		expect(
			startOf(quiet, { timeZone: 'America/New_York', quietHours }, NOON, berlin).postponedFrom,
		).toBeUndefined();
	});
});
