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
});
