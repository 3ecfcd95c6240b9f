import type { NodeOperationError } from 'n8n-workflow';
import type { Shown } from '../../api/access/shown';
import { shown } from '../../api/access/shown';
import { writeCsv } from '../../api/files/csv';
import type { Parameters } from '../../parameters/parameters';
import { countOf, listed, namesText } from '../../parameters/values';
import { expressionFor, itemFields, itemFieldsText } from '../../runner/itemFields';
import type { CsvFile } from '../../runner/itemFile';
import { csvText } from '../../runner/itemFile';
import type { OperationContext } from '../../runner/operationContext';
import type { Cell, Column, Layout } from '../shared/csvColumns';
import { layoutOf, readColumns } from '../shared/csvColumns';
import type { ItemCells } from '../shared/csvRows';
import { csvRows } from '../shared/csvRows';
import { IG_ID, importLayout, NAME, WA_ID } from './importTemplate';

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
 * The items as a file; undefined if each of them fails.
 *
 * @param moreColumns whether to add columns that the service's template does not have
 * @throws NodeOperationError if no item has a value, or one cannot be imported and the node does not continue; nothing
 *   has been sent by then
 */
export async function fileOfItems(
	context: OperationContext,
	inputs: ItemCells[],
	moreColumns: boolean,
): Promise<CsvFile | undefined> {
	if (inputs.every(({ cells }) => cells.length === 0))
		throw context.invalid('No input item has a value for any column', mappingStep(context));
	const { layout, separator } = await importLayout(context);
	const { columns, rows, lacking } = await csvRows(context, inputs, {
		layout,
		numbers: WA_ID,
		required: [WA_ID, IG_ID],
		noColumn: moreColumns ? undefined : (missing) => columnsMissing(context, missing, layout),
	});
	const isEmpty = (position: number) => inputs[position]?.cells.length === 0;
	const empty = lacking.filter(isEmpty);
	const withoutId = lacking.filter((position) => !isEmpty(position));
	const error = idsMissing(context, withoutId.length, inputs.length);
	for (const position of withoutId) context.failItem(position, error);
	if (rows.length === 0) {
		// Without a job, there is nothing to return for these items.
		const error = context.invalid('The item has no value for any column', mappingStep(context));
		for (const position of empty) context.failItem(position, error);
		return undefined;
	}
	if (empty.length > 0) {
		// As people count, because they look it up in the table that the items are from.
		const left = empty.map((position) => `row ${(inputs[position]?.itemIndex ?? 0) + 1}`);
		context.notify(shown`Not imported, because they have no values: ${listed(left)}`);
	}
	return csvText('contacts.csv', await writeCsv({ columns, rows }, separator));
}

const idsMissing = (context: OperationContext, count: number, all: number): NodeOperationError =>
	context.invalid(
		shown`${count} of ${countOf(all, 'input item')} ${count === 1 ? 'has' : 'have'} neither a WhatsApp ID nor an Instagram ID`,
		count < all
			? 'Nothing was imported for them. Add the IDs in an earlier node. To import only the other items, set On Error to Continue in Settings.'
			: shown`Nothing was imported. ${mappingStep(context)}`,
	);

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

/** Which fields the items have, and how to map the one with the phone numbers. */
function mappingStep({ n8n }: OperationContext): Shown {
	const phone = layoutOf(itemFields(n8n)).columnOf(WA_ID) ?? 'phone';
	return shown`Your items have ${itemFieldsText(n8n)}. Under WhatsApp ID, enter the field with the phone numbers, e.g. ${expressionFor(phone)}.`;
}
