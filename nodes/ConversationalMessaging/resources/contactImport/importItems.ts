import type { NodeOperationError } from 'n8n-workflow';
import { type Shown, shown } from '../../api/access/shown';
import { writeCsv } from '../../api/files/csv';
import type { Parameters } from '../../parameters/parameters';
import { namesText } from '../../parameters/values';
import { downloadHeader } from '../../runner/downloads';
import { expressionFor, itemFields, itemFieldsText } from '../../runner/itemFields';
import { type CsvFile, csvText } from '../../runner/itemFile';
import type { OperationContext } from '../../runner/operationContext';
import { type Cell, type Column, type Layout, layoutOf, readColumns } from '../shared/csvColumns';
import { type ItemCells, csvRows } from '../shared/csvRows';

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

/** What the item contributes to the import: its values. @throws NodeOperationError for one that its column cannot have */
export function readItem(parameters: Parameters): ItemCells {
	const own: Cell[] = [
		[NAME, parameters.text('name', 'mayBeEmpty')],
		[WA_ID, parameters.whatsAppAddress('waId', 'mayBeEmpty')],
		[IG_ID, parameters.id('igId', 'mayBeEmpty')],
	];
	const cells = [...own, ...readColumns(parameters, 'columns')].filter(
		([, value]) => value !== undefined && value !== '',
	);
	// The country of an item without a number may be anything.
	const hasNumber = layoutOf(cells.map(([{ name }]) => name)).columnOf(WA_ID) !== undefined;
	const country = hasNumber ? parameters.numberCountry : undefined;
	return { itemIndex: parameters.itemIndex, cells, country };
}

/**
 * The items as a file, in the columns of the service's own template (API document, `GET /contacts/import-template`).
 *
 * @param moreColumns whether to add columns that the service's template does not have
 * @returns undefined if each of them fails
 * @throws NodeApiError if the template cannot be read
 * @throws NodeOperationError if an item cannot be imported and the node does not continue; nothing has been sent by then
 */
export async function fileOfItems(
	context: OperationContext,
	inputs: ItemCells[],
	moreColumns: boolean,
): Promise<CsvFile | undefined> {
	const template = await downloadHeader(context, {
		endpoint: 'GET /contacts/import-template',
		action: 'Download contact import template',
	});
	const layout = layoutOf(template.columns);
	const { columns, rows } = await csvRows(context, inputs, {
		layout,
		numbers: WA_ID,
		required: [WA_ID, IG_ID],
		lacking: context.invalid(
			'The item has neither a WhatsApp ID nor an Instagram ID',
			context.n8n.continueOnFail()
				? mappingStep(context)
				: shown`${mappingStep(context)} To import only the other items, set On Error to Continue in Settings.`,
		),
		noColumn: moreColumns ? undefined : (missing) => columnsMissing(context, missing, layout),
	});
	if (rows.length === 0) return undefined;
	return csvText('contacts.csv', await writeCsv({ columns, rows }, template.separator));
}

function columnsMissing(
	context: OperationContext,
	missing: Column[],
	{ columns }: Layout,
): NodeOperationError {
	const hasId = missing.includes(WA_ID) || missing.includes(IG_ID);
	return context.invalid(
		shown`The service’s import template has no column for ${missing.map(({ name, field = `the column ${name}` }) => field).join(', ')}`,
		shown`Its columns are ${namesText(columns)}. Enter values under these names in More Columns ${hasId ? 'too, keep the ID, and add the option Send Columns Not in Template, or send a CSV File' : 'and clear the other fields, or add the option Send Columns Not in Template'}.`,
	);
}

function mappingStep({ n8n }: OperationContext): Shown {
	const phone = layoutOf(itemFields(n8n)).columnOf(WA_ID) ?? 'phone';
	return shown`Your items have ${itemFieldsText(n8n)}. Under WhatsApp ID, enter the field with the phone numbers, e.g. ${expressionFor(phone)}.`;
}
