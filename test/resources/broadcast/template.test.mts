/** What a preview learns about the template from the service's list. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { findTemplate } from '../../../nodes/ConversationalMessaging/template/list.ts';
import { whyRejected } from '../../../nodes/ConversationalMessaging/resources/broadcast/previewOutput.ts';

const row = (id: string, more: IDataObject = {}): IDataObject => ({
	id,
	name: 'sale',
	language: 'en_US',
	status: 'APPROVED',
	...more,
});
const named = { name: 'sale', language: 'en_US' };

describe('a template in the list', () => {
	test('is found by its ID; otherwise by its name, its language and its channel', () => {
		const list = [
			row('1', { language: 'de' }),
			row('2', { channelId: 'a' }),
			row('3', { channelId: null }),
			row('4', { channel_id: 'b' }),
		];
		const idOf = (template: object, channelId?: string) =>
			findTemplate({ data: list }, { ...named, ...template }, channelId)?.id;
		expect(idOf({})).toBe('3');
		expect(idOf({}, 'a')).toBe('2');
		expect(idOf({}, 'b')).toBe('4');
		expect(idOf({}, 'c')).toBe('3');
		expect(idOf({ language: 'de' })).toBe('1');
		expect(idOf({ id: '4' }, 'a')).toBe('4');
		// Never another one with the same name.
		expect(idOf({ id: '9' })).toBeUndefined();
		expect(idOf({ name: 'other' })).toBeUndefined();
	});

	test('is found in any JSON without an exception', () => {
		fc.assert(fc.property(fc.jsonValue(), (list) => void findTemplate(list, named, 'a')));
	});

	test.each([
		'APPROVED',
		'APPROVED_QUALITY_HIGH',
		'enabled',
		'Active - Quality pending',
		undefined,
		7,
	])('with the status %j is not rejected', (status) => {
		expect(whyRejected(row('1', { status }), undefined)).toBeUndefined();
	});

	test.each([
		...['PENDING', 'IN_APPEAL', 'in review', 'REJECTED', 'PAUSED', 'DISABLED', 'INACTIVE', 'new'],
		...[
			'NOT_APPROVED',
			'UNAPPROVED',
			'approval_pending',
			'LIMIT_EXCEEDED',
			'notApproved',
			{ name: 'PENDING' },
		],
	])('with the status %j is not approved', (status) => {
		expect(whyRejected(row('1', { status }), undefined)).toMatch(/^The template is not approved: /);
	});

	test('needs a value for each variable, by position and by name', () => {
		const why = (text: string, ...parameters: object[]) =>
			whyRejected(row('1', { components: [{ type: 'BODY', text }] }), [
				{ type: 'body', parameters },
			]);
		const value = { type: 'text', text: 'a' };
		expect(why('{{1}} {{2}}', value)).toMatch(/^Template variable 2 is empty/);
		expect(why('{{name}}', value)).toMatch(/^Template variable name is empty/);
		expect(why('{{1}}', value)).toBeUndefined();
		expect(why('Hi', value)).toBeUndefined();
		// A CSV contains the values.
		const components = [{ type: 'BODY', text: '{{1}}' }];
		expect(whyRejected(row('1', { components }), undefined)).toBeUndefined();
	});
});
