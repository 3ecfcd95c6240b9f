import { shown } from '../../../api/access/shown';
import { inTurns } from '../../../api/base/concurrency';
import { ownValue } from '../../../api/response/response';
import { textField } from '../../../descriptions/basicFields';
import { readWhatsAppId } from '../../../parameters/customer';
import type { Parameters } from '../../../parameters/parameters';
import { formatValue, isBlank, namesText } from '../../../parameters/values';
import { downloadHeader } from '../../../runner/downloads';
import { itemFieldsText } from '../../../runner/itemFields';
import type { OperationContext } from '../../../runner/operationContext';
import {
	type Cell,
	type Column,
	type Layout,
	columnsField,
	isSameColumn,
	layoutOf,
	readColumns,
} from '../../shared/csvColumns';
import { type ItemCells, csvRows } from '../../shared/csvRows';
import type { Audience, AudienceKind, AudienceSettings } from './audience';
import { keptRecipients } from './keptRecipients';

/** The column of a template's CSV that likely contains the phone numbers. Its name is undocumented. */
const DEFAULT_PHONE_COLUMN = 'phone';

/** What an item contributes: what is mapped to columns, and its recipient, as far as that is known without the template. */
interface CsvItem extends ItemCells {
	phone: Column;
}

/** A CSV with a row per input item, in the columns of the template's own CSV. */
export const csvItems: AudienceKind<CsvItem> = {
	option: {
		name: 'CSV From Input Items',
		value: 'csvItems',
		description: 'A CSV made from all input items, with the template’s columns',
	},
	fields: [
		textField('Phone Column', 'phoneColumn', {
			default: DEFAULT_PHONE_COLUMN,
			required: true,
			description:
				'The column of the template’s CSV that contains the phone numbers; Download CSV Template shows the columns. Each input item has its number in a field of this name, unless you map another one under Columns. User IDs are accepted, too; some templates are delivered to phone numbers only.',
		}),
		columnsField({
			displayName: 'Columns',
			name: 'csvColumns',
			description:
				'The template’s columns for which the input items have a field of another name. All other columns are read from the fields of their name.',
		}),
	],
	isOfAllItems: true,
	hasCsv: true,
	read: readItem,
	find: findAudience,
};

function readItem(parameters: Parameters): CsvItem {
	const { n8n, itemIndex } = parameters;
	const phoneColumn = parameters.text('phoneColumn', 'required');
	const phone: Column = { name: phoneColumn, isNumber: true };
	const mapped = readColumns(parameters, 'csvColumns');
	const { columnOf } = layoutOf([phoneColumn]);
	const number = mapped.find(([{ name }]) => isSameColumn(name, phoneColumn));
	// The template may have a column of its own for the other spelling.
	const isOpen = !number && mapped.some(([column]) => columnOf(column) !== undefined);
	const json = isOpen ? {} : (n8n.getInputData()[itemIndex]?.json ?? {});
	const value = number ? number[1] : ownValue(json, phoneColumn);
	const country = parameters.numberCountry;
	const others = mapped.filter((cell) => cell !== number);
	if (value === undefined) return { itemIndex, phone, country, cells: others };
	const { value: recipient, expected, because } = readWhatsAppId(value, country);
	if (recipient !== undefined)
		return { itemIndex, phone, country, cells: [[phone, recipient], ...others] };
	const isEmpty = isBlank(value);
	const problem = isEmpty
		? shown`is empty`
		: shown`expects ${expected}, but got ${formatValue(value)}${because === undefined ? '' : `: ${because}`}`;
	throw parameters.invalid(
		shown`The ${number ? 'column' : 'field'} ${phoneColumn} ${problem}`,
		isEmpty && number
			? shown`Your items have ${itemFieldsText(n8n)}. Correct the expression under Columns, or the item.`
			: 'Correct the field in an earlier node, or map another one under Columns.',
	);
}

async function findAudience(
	context: OperationContext,
	items: [CsvItem, ...CsvItem[]],
	{ template, guards }: AudienceSettings,
): Promise<Audience> {
	const csv = await downloadHeader(context, {
		endpoint: 'GET /broadcasts/csv-template',
		query: { templateName: template.name, templateLanguage: template.language },
	});
	const layout = layoutOf(csv.columns);
	const [{ phone }] = items;
	const phoneColumn = layout.columnOf(phone);
	if (phoneColumn === undefined) {
		throw context.invalid(
			shown`The template’s CSV has no column ${phone.name}`,
			shown`The template needs ${namesText(csv.columns)}: set Phone Column to the one with the phone numbers. Your items have ${itemFieldsText(context.n8n)}: map what has another name under Columns.`,
		);
	}
	const inputs = await withOwnFields(context, items, layout);
	const { rows } = await csvRows(context, inputs, {
		layout,
		numbers: phone,
		required: [phone],
		lacking: context.invalid(
			shown`The field ${phone.name} is empty`,
			'Add the phone number in an earlier node, or map another field under Columns.',
		),
		noColumn: (missing) =>
			context.invalid(
				shown`The template’s CSV has no column ${missing.map(({ name }) => name).join(', ')}, which is mapped under Columns`,
				shown`Its columns are ${namesText(csv.columns)}. Correct the name under Columns, or remove the mapping.`,
			),
	});
	const recipients = rows.map((row) => ({ address: row[phoneColumn] ?? '', row }));
	return await keptRecipients(context, { recipients, csv, leftOut: 0, notes: [] }, guards);
}

/**
 * The items with a cell for each field that has the name of a column for which nothing is mapped.
 *
 * @throws NodeOperationError if there are columns for which no item has a value: the service may need them
 */
async function withOwnFields(
	context: OperationContext,
	items: readonly CsvItem[],
	{ columns, columnOf }: Layout,
): Promise<ItemCells[]> {
	const input = context.n8n.getInputData();
	const named = columns.map((name) => ({ name }));
	const missing = new Set(columns.filter((column) => !isBlank(column)));
	const inputs: ItemCells[] = [];
	for await (const item of inTurns(items)) {
		const mapped = new Set(item.cells.map(([column]) => columnOf(column)));
		const json = input[item.itemIndex]?.json ?? {};
		const own = named
			.filter(({ name }) => !mapped.has(name))
			.map((column): Cell => [column, ownValue(json, column.name)])
			.filter(([, value]) => value !== undefined);
		for (const column of [...mapped, ...own.map(([{ name }]) => name)])
			missing.delete(column as string);
		inputs.push({ ...item, cells: [...item.cells, ...own] });
	}
	if (missing.size === 0) return inputs;
	throw context.invalid(
		shown`Your items have ${itemFieldsText(context.n8n)}, the template needs ${namesText([...missing])}`,
		shown`Map ${missing.size === 1 ? 'it' : 'them'} under Columns, or rename fields in an earlier node.`,
	);
}
