/** What a preview learns about the template from the service's list. */
import type { IDataObject } from 'n8n-workflow';
import { whyRejected } from '../../../nodes/ConversationalMessaging/resources/broadcast/previewOutput.ts';

const row = (id: string, more: IDataObject = {}): IDataObject => ({
	id,
	name: 'sale',
	language: 'en_US',
	status: 'APPROVED',
	...more,
});

describe('a template in the list', () => {
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
