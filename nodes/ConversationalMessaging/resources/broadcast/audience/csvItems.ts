import type { IDataObject } from 'n8n-workflow';
import { shown } from '../../../api/access/shown';
import { inTurns } from '../../../api/base/concurrency';
import { writeCsv } from '../../../api/files/csv';
import { ownValue } from '../../../api/response/response';
import { readWhatsAppId } from '../../../parameters/customer';
import type { Parameters } from '../../../parameters/parameters';
import { countOf, formatValue, isBlank, namesText, readVerbatim } from '../../../parameters/values';
import { downloadHeader } from '../../../runner/downloads';
import { itemFields } from '../../../runner/itemFields';
import { csvText } from '../../../runner/itemFile';
import type { OperationContext } from '../../../runner/operationContext';
import type { Audience, AudienceInput, AudienceKind, AudienceSettings } from './audience';
import { keptRecipients, leftOutNote } from './keptRecipients';

type Row = Record<string, string>;

/** The column of a template's CSV that likely contains the phone numbers. Its name is undocumented. */
const DEFAULT_PHONE_COLUMN = 'phone';

/** A CSV with a row per input item, in the columns of the template's own CSV. */
export const csvItems: AudienceKind = {
	option: {
		name: 'CSV From Input Items',
		value: 'csvItems',
		description: 'A CSV made from all input items, with the template’s columns',
	},
	fields: [
		{
			displayName: 'Phone Column',
			name: 'phoneColumn',
			type: 'string',
			default: DEFAULT_PHONE_COLUMN,
			required: true,
			description:
				'The column of the template’s CSV that contains the phone numbers; Download CSV Template shows the columns. Each input item has its number in a field of this name, unless you map another one under Columns. User IDs such as US.13491208655302741918 are sent unchanged; some templates are delivered to phone numbers only.',
		},
		{
			displayName: 'Columns',
			name: 'csvColumns',
			type: 'fixedCollection',
			typeOptions: {
				multipleValues: true,
				fixedCollection: { itemTitle: '={{ $collection.item.value.name || "Column" }}' },
			},
			placeholder: 'Add Column',
			default: {},
			options: [
				{
					displayName: 'Column',
					name: 'column',
					values: [
						{
							displayName: 'Name',
							name: 'name',
							type: 'string',
							default: '',
							description: 'Name of the column in the template’s CSV',
						},
						{
							displayName: 'Value',
							name: 'value',
							type: 'string',
							default: '',
							description:
								'Value for the column: an expression that reads the field of the input item',
						},
					],
				},
			],
			description:
				'The template’s columns for which the input items have a field of another name. All other columns are read from the fields of their name.',
		},
	],
	isOfAllItems: true,
	hasCsv: true,
	read(parameters) {
		const phoneColumn = parameters.required('phoneColumn');
		return {
			input: readRow(parameters, phoneColumn),
			find: async (context, settings, inputs) =>
				await asCsv(context, phoneColumn, settings, inputs),
		};
	},
};

/** @param phoneColumn the one with the recipients */
async function asCsv(
	context: OperationContext,
	phoneColumn: string,
	{ template, guards, exclusion }: AudienceSettings,
	inputs: AudienceInput[],
): Promise<Audience> {
	const { columns, separator } = await downloadHeader(context, {
		endpoint: 'GET /broadcasts/csv-template',
		query: { templateName: template.name, templateLanguage: template.language },
	});
	const named = await inColumns(context, columns, phoneColumn, inputs);
	const rows = await rowsFrom(context, columns, phoneColumn, named);
	const numberIn = (row: Row) => row[phoneColumn] ?? '';
	const different = await withoutEqual(rows);
	const { kept, leftOut, notes } = await keptRecipients(
		different,
		numberIn,
		exclusion,
		!guards.skipRepeated,
	);
	const equal = rows.length - different.length;
	return {
		body: { audienceMode: 'csv' },
		file: csvText('audience.csv', await writeCsv({ columns, rows: kept }, separator)),
		addresses: kept.map(numberIn),
		recipients: kept.length,
		leftOut: leftOut + equal,
		notes: [
			...leftOutNote(equal, 'row', ' equal to an earlier one'),
			...notes,
			...columns.flatMap((column) => emptyCellsNote(column, kept)),
		],
		firstRow: kept[0],
	};
}

/**
 * What an item contributes: its fields and mapped columns, and the recipient in one of them. Without that, it has none yet: what
 * is missing can be said once the template's columns are known.
 *
 * @throws NodeOperationError if the recipient is no phone number, or a column is mapped twice
 */
function readRow(parameters: Parameters, phoneColumn: string): AudienceInput {
	const { n8n, itemIndex } = parameters;
	const entries = parameters
		.groups('csvColumns')
		.map((entry) => [entry.required('name'), entry.raw('value') ?? null] as const);
	const keys = entries.map(([name]) => name.toLowerCase());
	const [twice] = entries.find((_entry, at) => keys.indexOf(keys[at] as string) < at) ?? [];
	if (twice !== undefined) {
		throw parameters.invalid(
			shown`Columns maps the column ${twice} twice`,
			'Remove one of the two. Names that differ only in case count as one.',
		);
	}
	const row = n8n.getInputData()[itemIndex]?.json ?? {};
	const mapped = Object.fromEntries(entries) as IDataObject;
	const [, value = ownValue(row, phoneColumn)] =
		entries.find((_entry, at) => keys[at] === phoneColumn.toLowerCase()) ?? [];
	if (value === undefined) return { itemIndex, recipients: [], row, mapped };
	const { value: recipient, expected, because } = readWhatsAppId(value, parameters.numberCountry);
	if (recipient !== undefined) return { itemIndex, recipients: [recipient], row, mapped };
	throw parameters.invalid(
		isBlank(value)
			? shown`The field ${phoneColumn} is empty`
			: shown`The field ${phoneColumn} expects ${expected}, but got ${formatValue(value)}${because === undefined ? '' : `: ${because}`}`,
		'Correct the field in an earlier node, or map another one under Columns.',
	);
}

/**
 * The items, with what is mapped as fields that are spelled as the template's columns.
 *
 * @throws NodeOperationError if the items cannot have these columns, or another one is mapped
 */
async function inColumns(
	context: OperationContext,
	columns: string[],
	phoneColumn: string,
	inputs: AudienceInput[],
): Promise<AudienceInput[]> {
	const have = namesText(itemFields(context.n8n)) || 'no fields';
	if (!columns.includes(phoneColumn)) {
		throw context.invalid(
			shown`The template’s CSV has no column ${phoneColumn}`,
			shown`The template needs ${namesText(columns)}: set Phone Column to the one with the phone numbers. Your items have ${have}: map what has another name under Columns.`,
		);
	}
	const exact = new Set(columns);
	const spelled = new Map(columns.map((column) => [column.toLowerCase(), column]));
	const columnOf = (name: string): string => {
		const column = exact.has(name) ? name : spelled.get(name.toLowerCase());
		if (column !== undefined) return column;
		throw context.invalid(
			shown`The template’s CSV has no column ${name}, which is mapped under Columns`,
			shown`Its columns are ${namesText(columns)}. Correct the name under Columns, or remove the mapping.`,
		);
	};
	const named: AudienceInput[] = [];
	const missing = new Set(columns);
	for await (const { mapped = {}, ...input } of inTurns(inputs)) {
		const cells = Object.entries(mapped).map(([name, value]) => [columnOf(name), value]);
		const row = { ...input.row, ...(Object.fromEntries(cells) as IDataObject) };
		named.push({ ...input, row });
		for (const name of Object.keys(row)) if (row[name] !== undefined) missing.delete(name);
	}
	if (missing.size > 0) {
		throw context.invalid(
			shown`Your items have ${have}, the template needs ${namesText([...missing])}`,
			shown`Map ${missing.size === 1 ? 'it' : 'them'} under Columns, or rename fields in an earlier node.`,
		);
	}
	return named;
}

/** The items with one value per column; an item without a recipient, or with a list or an object for a column, fails. */
async function rowsFrom(
	context: OperationContext,
	columns: string[],
	phoneColumn: string,
	inputs: AudienceInput[],
): Promise<Row[]> {
	const rows: Row[] = [];
	for await (const [position, { itemIndex, recipients, row = {} }] of inTurns(inputs.entries())) {
		const values = { ...row, [phoneColumn]: recipients[0] };
		const valueOf = (column: string): unknown => ownValue(values, column);
		const cells = columns.map((column) => [column, cellOf(valueOf(column))] as const);
		const [unusable] = cells.find(([, cell]) => cell === undefined) ?? [];
		if (unusable === undefined && recipients.length > 0) {
			rows.push(Object.fromEntries(cells) as Row);
			continue;
		}
		const error =
			unusable === undefined
				? context.invalid(
						shown`The field ${phoneColumn} is empty (item ${itemIndex})`,
						'Add the phone number in an earlier node. Item numbers start at 0.',
					)
				: context.invalid(
						shown`The field ${unusable} expects one value, but got ${formatValue(valueOf(unusable))} (item ${itemIndex})`,
						'Set the field to text or a number in an earlier node. Item numbers start at 0.',
					);
		error.context.itemIndex = itemIndex;
		// `failItem` would record the failure before it throws, and a preview is to show it instead.
		if (!context.n8n.continueOnFail()) throw error;
		context.failItem(position, error);
	}
	return rows;
}

/** A value as a cell; undefined for a list, an object or a date. */
const cellOf = (value: unknown): string | undefined =>
	isBlank(value) ? '' : readVerbatim(value).value;

/** So that nobody receives the same message twice. */
async function withoutEqual(rows: Row[]): Promise<Row[]> {
	const different = new Map<string, Row>();
	for await (const row of inTurns(rows)) different.set(JSON.stringify(row), row);
	return [...different.values()];
}

function emptyCellsNote(column: string, rows: Row[]): string[] {
	const empty = rows.filter((row) => isBlank(row[column])).length;
	return empty > 0 ? [`The column ${column} has no value in ${countOf(empty, 'row')}`] : [];
}
