import { writeCsv } from '../../../api/csv';
import { countOf, isBlank } from '../../../parameters/values';
import { itemNumbers } from '../../../runner/batch';
import { csvText } from '../../../runner/csvUpload';
import type { OperationContext } from '../../../runner/operationContext';
import type { AudienceInput } from '../csvRows';
import { csvRows } from '../csvRows';
import type { NumberSet } from '../numberSet';
import type { TemplateCsv } from '../phoneColumn';
import { findPhoneColumn } from '../phoneColumn';
import type { BroadcastPlan } from '../plan';
import { RecipientFilter } from '../recipientFilter';
import type { Preparation, PreparedAudience } from './preparedAudience';
import { FIRST_RECIPIENTS, MAX_INVALID, NO_COUNTS, toOf } from './preparedAudience';

/** A CSV with a row per input item, in the columns of the template's own CSV. */
export async function fromCsvItems(
	context: OperationContext,
	{ guards }: BroadcastPlan,
	inputs: AudienceInput[],
	template: TemplateCsv,
	excluded: NumberSet | undefined,
	{ reject }: Preparation,
): Promise<PreparedAudience> {
	const columns = await template.columns();
	// Columns with one name have the value of one field.
	const { name: phoneColumn, candidates } = await findPhoneColumn([...new Set(columns)], template);
	const { rows, itemIndexes, duplicates, unusable, rejected } = csvRows(
		columns,
		inputs,
		phoneColumn,
	);
	if (rejected) reject(context.invalid(rejected.message, rejected.description));
	const { skipRepeated } = guards;
	const unknown = phoneColumn === undefined ? unknownPhoneColumn(columns, candidates) : undefined;
	const leavesOut = skipRepeated || excluded !== undefined;
	if (unknown && leavesOut) {
		const step = 'Turn off Skip Repeated Numbers and remove Exclude Segment.';
		reject(context.invalid(unknown, `Nothing was sent. ${step}`));
	}
	const filter = new RecipientFilter(excluded);
	const isSent = (row: Record<string, string>) => {
		if (phoneColumn === undefined) return true;
		const verdict = filter.judge(row[phoneColumn] ?? '');
		return verdict === 'kept' || (verdict === 'repeated' && !skipRepeated);
	};
	const isSentAt = rows.map(isSent);
	const sent = rows.filter((_row, position) => isSentAt[position]);
	const indexes = itemIndexes.filter((_index, position) => isSentAt[position]);
	const given = [...new Set(inputs.flatMap(({ row = {} }) => Object.keys(row)))];
	return {
		content: { mode: 'csv', file: csvText('audience.csv', writeCsv({ columns, rows: sent })) },
		counts: {
			...NO_COUNTS,
			sent: sent.length,
			repeated: filter.repeated,
			skipsRepeated: skipRepeated,
			equalRows: duplicates,
			excluded: filter.excluded,
			invalid: unusable.length,
			invalidValues: unusable.slice(0, MAX_INVALID).map(([, value]) => value),
		},
		first: sent.slice(0, FIRST_RECIPIENTS).map((row) => ({ to: toOf(row, phoneColumn), row })),
		columns: { given, template: columns },
		warnings: [
			...(unknown && !leavesOut
				? [`${unknown}. Phone numbers are sent unchanged, and are not checked.`]
				: []),
			...(filter.repeated > 0 && !skipRepeated
				? [
						`In ${countOf(filter.repeated, 'input item')}, the phone number is that of an earlier item. To send to each number once, turn on Skip Repeated Numbers.`,
					]
				: []),
			...columns
				.filter((column) => given.includes(column))
				.flatMap((column) => withoutValue(column, sent, indexes)),
		],
	};
}

/** Why the numbers of the recipients cannot be found. */
const unknownPhoneColumn = (columns: string[], candidates: string[]): string =>
	candidates.length > 0
		? `Several columns of the template’s CSV may contain the phone numbers: ${candidates.join(', ')}`
		: `The template’s CSV has no column with a name such as phone: ${columns.join(', ')}`;

/** A warning about the rows without a value in a column, if there are any. */
function withoutValue(
	column: string,
	rows: Record<string, string>[],
	itemIndexes: number[],
): string[] {
	const empty = itemIndexes.filter((_index, position) => isBlank(rows[position]?.[column]));
	if (empty.length === 0) return [];
	return [
		`In ${countOf(empty.length, 'input item')}, the column "${column}" has no value: ${itemNumbers(empty)}.`,
	];
}
