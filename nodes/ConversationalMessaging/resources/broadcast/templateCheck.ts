import type { IDataObject } from 'n8n-workflow';
import { findRows, isRecord, metaOf, statusOf, type FoundRows } from '../../api/response';
import { TEMPLATE_LIST, templateOf, type TemplateRef } from '../../parameters/template';
import { showsVariables, valuesIn, variablesOf } from '../../parameters/templateVariables';

/** The state of a template in the service's list. */
export interface TemplateState {
	/** Its row; undefined if it is not in the list. */
	row?: IDataObject;
	/** As the service spells it. */
	status?: string;
	/** Whether it is approved; undefined if its status does not say so. The values of the status are undocumented. */
	isApproved?: boolean;
	/** Whether it is not in the list, and the list is whole. */
	isMissing: boolean;
	/** How many templates have its name and language, if the service has to choose one of them. */
	candidates: number;
}

/** A status that begins so: "APPROVED", "active", "Active - Quality pending". */
const APPROVED = /^(?:approved|active|enabled|live)\b/i;
const NOT_APPROVED =
	/^(?:pending|in[ _-]?review|in[ _-]?appeal|reject|declin|paus|disabl|inactive|delet|archiv|draft|submit|limit[ _-]?exceeded|flagged|expired|blocked|not[ _-]?approved|unapproved|new$)/i;

/**
 * Finds a template among those of a channel. Its ID decides, if it is known. Several channels may have templates of
 * the same name and language: then that of the chosen channel counts, or that of no channel.
 */
export function templateState(
	list: unknown,
	{ id, name, language }: Partial<TemplateRef> & { name: string; language: string },
	channelId: string | undefined,
): TemplateState {
	const listed = findRows(list, [TEMPLATE_LIST.rowsName]);
	const rows = (listed?.rows ?? []).filter(isRecord);
	const found =
		id === undefined
			? rows.filter((row) => row.name === name && row.language === language)
			: rows.filter((row) => templateOf(row)?.id === id);
	const own = found.filter((row) => channelId !== undefined && row.channelId === channelId);
	const shared = found.filter((row) => row.channelId === undefined || row.channelId === null);
	const likely = [own, shared, found].find((group) => group.length > 0) ?? [];
	const [row] = likely;
	const status = row && statusOf(row);
	return {
		row,
		status,
		isApproved: status === undefined ? undefined : approval(status),
		isMissing: row === undefined && isWhole(list, listed),
		candidates: likely.length,
	};
}

/** Whether a list has no rows besides these. */
function isWhole(list: unknown, listed: FoundRows | undefined): boolean {
	const total = listed && metaOf(list, listed.path).total;
	return total !== undefined && (listed?.rows.length ?? 0) >= total;
}

function approval(status: string): boolean | undefined {
	if (APPROVED.test(status)) return true;
	return NOT_APPROVED.test(status) ? false : undefined;
}

/**
 * Variables of a template without a value, and values without a variable, by their names; undefined if the service does
 * not show its variables.
 */
export function variableDifferences(
	{ components }: IDataObject,
	given: readonly unknown[] = [],
): { missing: string[]; extra: string[] } | undefined {
	if (!showsVariables(components)) return undefined;
	const variables = variablesOf(components);
	const values = valuesIn(given);
	const known = new Set(variables.map(({ id }) => id));
	return {
		missing: variables
			.filter(({ id, required }) => required && !values.has(id))
			.map(({ label }) => label),
		extra: [...values.keys()].filter((id) => !known.has(id)),
	};
}
