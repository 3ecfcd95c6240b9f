import type { NodeApiError } from 'n8n-workflow';
import { shown } from '../../api/access/shown';
import { downloadHeader } from '../../runner/downloads';
import type { OperationContext } from '../../runner/operationContext';
import type { Column, Layout } from '../shared/csvColumns';
import { layoutOf } from '../shared/csvColumns';

export const NAME: Column = {
	name: 'name',
	field: 'Name',
	synonyms: ['fullname', 'displayname', 'contactname'],
};

export const WA_ID: Column = {
	name: 'waId',
	field: 'WhatsApp ID',
	synonyms: [
		'whatsappid',
		'whatsappnumber',
		'whatsapp',
		'phone',
		'phonenumber',
		'mobile',
		'mobilenumber',
		'number',
	],
	isNumber: true,
};

export const IG_ID: Column = {
	name: 'igId',
	field: 'Instagram ID',
	synonyms: ['instagramid', 'instagramuserid', 'instagram'],
};

/** Without a template, every value has the column that it names. */
export const WITHOUT_TEMPLATE: Layout = {
	columns: [NAME, WA_ID, IG_ID].map(({ name }) => name),
	columnOf: ({ name }) => name,
};

/**
 * The columns of the service's own import template (API document, `GET /contacts/import-template`), and what separates them. If
 * it cannot be read, the user gets a notice.
 */
export async function importLayout(
	context: OperationContext,
): Promise<{ layout: Layout; separator?: string }> {
	const template = {
		endpoint: 'GET /contacts/import-template',
		action: 'Download contact import template',
	} as const;
	let reason = 'It is empty.';
	try {
		const { columns, separator } = await downloadHeader(context, template);
		if (columns.some((column) => column.trim() !== ''))
			return { layout: layoutOf(columns), separator };
	} catch (error) {
		// Stopped by the user: the run ends here.
		context.throwIfStopped();
		// Without the error's next step: running it again would repeat the import.
		reason = `${(error as NodeApiError).message}.`;
	}
	context.notify(
		shown`The service’s import template could not be read, so the import uses the columns name, waId, igId and those under More Columns. ${reason}`,
	);
	return { layout: WITHOUT_TEMPLATE };
}
