import type { NodeOperationError } from 'n8n-workflow';
import { textOf } from '../../api/text';
import { shownMoment } from '../../parameters/dateTime';
import { templateText, type TemplateText } from '../../parameters/templateText';
import { showsVariables, valuesIn } from '../../parameters/templateVariables';
import { countOf } from '../../parameters/values';
import { listed } from '../../runner/batch';
import type { Audience } from './audience';
import { columnNamed, columnOf } from './csvColumns';
import type { BroadcastPlan } from './plan';
import type { PreparedAudience, RecipientCounts } from './audiences/preparedAudience';
import type { PreparedBroadcast } from './prepareBroadcast';
import type { TemplateState } from './templateCheck';
import { variableDifferences } from './templateCheck';

/** What a preview returns. */
export interface PreviewOutput {
	/** False if Create would stop, or if the service would reject the broadcast, as far as that is known. */
	ready: boolean;
	/** All of it in lines of text. */
	summary: string;
	/** Why it is not ready. */
	blockers: string[];
	/** What to check. Create sends anyway. */
	warnings: string[];
	/** What differs from what was entered. */
	changes: string[];
	/** The name of the broadcast. */
	name: string;
	recipients: ReturnType<typeof recipientsOf>;
	template: {
		id?: string;
		name: string;
		language: string;
		category: string | null;
		status: string | null;
		approved: boolean | null;
		missingVariables: string[];
		extraVariables: string[];
		missingColumns: string[];
		extraColumns: string[];
	};
	start: ReturnType<typeof startOutput>;
	messages: Message[];
}

/** @param rejections what Create would stop at */
export function previewOutput(
	plan: BroadcastPlan,
	prepared: PreparedBroadcast,
	state: TemplateState,
	rejections: NodeOperationError[],
): PreviewOutput {
	const { audience, changes } = prepared;
	const columns = columnDifferences(plan.audience, audience);
	const known = state.row && variableDifferences(state.row, plan.components);
	const variables = (audience.columns ? undefined : known) ?? { missing: [], extra: [] };
	const blockers = [
		...rejections.map(({ message, description }) => [message, description].join('. ')),
		...templateBlockers(prepared.template, state),
		...variables.missing.map((label) => `Template variable ${label} is empty`),
		...variables.extra.map((id) => `The template has no variable ${id}`),
		...columns.missing.map((column) => `The CSV has no column ${column}`),
	];
	const warnings = [
		...templateWarnings(prepared, state),
		...(state.row && !known
			? [
					'The service does not show the text of the template, so its variables are not checked and there is no message.',
				]
			: []),
		...categoryWarnings(prepared, state),
		...columns.respelled.map(
			([own, name]) =>
				`The template’s CSV spells the column "${name}" of the CSV file differently: "${own}". Rename it if the service rejects the file.`,
		),
		...extraColumnWarnings(plan.audience, columns.extra),
		...audience.warnings,
	];
	const id = prepared.template.id ?? state.row?.id;
	const details = {
		ready: blockers.length === 0,
		name: plan.settings.name,
		recipients: recipientsOf(audience),
		template: {
			...(id !== undefined && { id: textOf(id) }),
			name: prepared.template.name,
			language: prepared.template.language,
			category: category(prepared, state),
			status: state.status ?? null,
			approved: state.isApproved ?? null,
			missingVariables: variables.missing,
			extraVariables: variables.extra,
			missingColumns: columns.missing,
			extraColumns: columns.extra,
		},
		start: startOutput(plan, prepared),
		// A blocker may be found in two ways.
		blockers: withoutRepeated(blockers),
		warnings,
		changes,
		messages: messagesOf(plan, audience, state),
	};
	const { ready, ...rest } = details;
	return { ready, summary: summaryOf(details, audience.counts), ...rest };
}

/** One line, as a hint. */
export const headline = ({ ready, summary, blockers }: PreviewOutput): string => {
	const [first = ''] = summary.split('\n');
	return ready ? first : `${first} ${blockers[0] ?? ''}`;
};

/** The same blocker with its next step and without it counts once. */
const withoutRepeated = (texts: string[]): string[] =>
	texts.filter(
		(text, index) =>
			!texts.slice(0, index).some((other) => other === text || other.startsWith(`${text}. `)),
	);

function templateBlockers(
	{ id, name, language }: PreparedBroadcast['template'],
	{ status, isApproved, isMissing }: TemplateState,
): string[] {
	if (isMissing) {
		const withId = id === undefined ? '' : ` with the ID ${id}`;
		return [
			`The service has no template ${name} in ${language}${withId} for the chosen channel. Pick one from the list, or correct name and language`,
		];
	}
	if (isApproved !== false) return [];
	return [
		`The template is not approved: its status is ${status}. Choose another, or run Template → Sync`,
	];
}

function templateWarnings(
	{ body }: PreparedBroadcast,
	{ row, status, isApproved, isMissing, candidates }: TemplateState,
): string[] {
	if (isMissing) return [];
	if (!row) {
		const [place, step] =
			body.channelId === undefined
				? ['', ' If it belongs to a channel, choose that channel in the options.']
				: [' for the chosen channel', ''];
		return [
			`The service does not list the template${place}, so its approval and its variables are unknown.${step}`,
		];
	}
	return [
		...(isApproved === undefined
			? [
					status === undefined
						? 'The service does not show whether the template is approved.'
						: `The status of the template, ${status}, does not show whether it is approved.`,
				]
			: []),
		...(candidates > 1
			? [`${candidates} templates have this name and language. Pick one from the list.`]
			: []),
	];
}

/**
 * The columns that only the template's CSV has, or only the given one. Whether the service accepts a file with other
 * spellings is undocumented; input items need the very names.
 */
function columnDifferences({ kind }: Audience, { columns }: PreparedAudience) {
	const { given = [], template = given } = columns ?? {};
	const isFile = kind === 'csvFile';
	const missing: string[] = [];
	const respelled: [own: string, name: string][] = [];
	const used = new Set<string>();
	for (const own of template) {
		const name = isFile ? columnNamed(own, given) : given.find((column) => column === own);
		if (name === undefined) missing.push(own);
		else used.add(name);
		if (name !== undefined && name !== own) respelled.push([own, name]);
	}
	return { missing, extra: given.filter((column) => !used.has(column)), respelled };
}

/** A file is sent with all of its columns; of input items, only the template's columns are. */
function extraColumnWarnings({ kind }: Audience, extra: string[]): string[] {
	if (extra.length === 0) return [];
	const isOne = extra.length === 1;
	const names = listed(extra.map((name) => `"${name}"`));
	if (kind === 'csvOfItems')
		return [
			isOne
				? `The field ${names} of the input items is not in the template’s CSV, so it is not sent.`
				: `The fields ${names} of the input items are not in the template’s CSV, so they are not sent.`,
		];
	return [`The template has no variable for the ${isOne ? 'column' : 'columns'} ${names}.`];
}

function recipientsOf({ content, counts }: PreparedAudience) {
	const { sent, repeated, skipsRepeated, equalRows, excluded, withoutNumber } = counts;
	const { invalid, invalidValues } = counts;
	return {
		count: sent ?? null,
		audienceMode: content.mode,
		repeatedNumbers: repeated,
		repeatedNumbersLeftOut: skipsRepeated ? repeated : 0,
		equalRowsLeftOut: equalRows,
		excludedMembersLeftOut: excluded,
		contactsWithoutNumberLeftOut: withoutNumber,
		invalidNumbers: invalid,
		invalidValues: invalidValues.map((value) => value ?? null),
	};
}

function startOutput({ guards, timeZone }: BroadcastPlan, { start }: PreparedBroadcast) {
	const shown = shownMoment(start.ms, timeZone);
	const { postponedFrom } = start;
	return {
		scheduleType: start.scheduleType,
		at: shown.iso,
		text: shown.text,
		recipientText: shownMoment(start.ms, guards.timeZone).text,
		...(postponedFrom !== undefined && { postponedFrom: shownMoment(postponedFrom, timeZone).iso }),
	};
}

/** The template's own category; that of the broadcast if the template shows none. */
function category({ body }: PreparedBroadcast, { row }: TemplateState): string | null {
	const shown = row?.category ?? body.templateCategory;
	return typeof shown === 'string' ? shown : null;
}

function categoryWarnings({ body }: PreparedBroadcast, { row }: TemplateState): string[] {
	const [sent, own] = [textOf(body.templateCategory), textOf(row?.category)];
	if (sent === '' || own === '' || sent.toUpperCase() === own.toUpperCase()) return [];
	return [
		`Template Category is ${sent}, but the template’s category is ${own}. Correct the option, or remove it.`,
	];
}

type Message = { to?: string } & TemplateText;

/** The message as each of the first recipients reads it. */
function messagesOf(
	{ components = [] }: BroadcastPlan,
	{ first, columns }: PreparedAudience,
	{ row }: TemplateState,
): Message[] {
	if (!row || !showsVariables(row.components)) return [];
	const values = valuesIn(components);
	return first.map(({ to, row: cells }) => ({
		...(to !== undefined && { to }),
		...templateText(row.components, (id) => {
			if (!cells) return values.get(id);
			const column = columnOf(id, columns?.template ?? columns?.given ?? []);
			const name = column === undefined ? undefined : columnNamed(column, Object.keys(cells));
			return name === undefined ? undefined : cells[name];
		}),
	}));
}

function summaryOf(details: Omit<PreviewOutput, 'summary'>, counts: RecipientCounts): string {
	const { start, template, blockers, warnings, changes, messages } = details;
	const when = start.scheduleType === 'now' ? 'now' : start.recipientText;
	const [message] = messages;
	return [
		`${details.ready ? 'Ready' : 'Not ready'}: ${shownCount(counts)}, ${when}. Nothing was sent.`,
		[`Template: ${template.name} (${template.language})`, template.category, template.status]
			.filter(Boolean)
			.join(', '),
		`Start: ${start.text}${start.text === start.recipientText ? '' : ` (${start.recipientText})`}`,
		...blockers.map((text) => `Blocker: ${text}`),
		...warnings.map((text) => `Check: ${text}`),
		...changes.map((text) => `Change: ${text}`),
		...(message ? ['', ...shownMessage(message)] : []),
	].join('\n');
}

function shownCount({ sent, moreThan }: RecipientCounts): string {
	if (sent !== undefined) return countOf(sent, 'recipient');
	return moreThan === undefined
		? 'an unknown number of recipients'
		: `more than ${countOf(moreThan, 'recipient')}`;
}

function shownMessage({ to, header, body, footer, buttons = [] }: Message): string[] {
	return [
		`Message${to === undefined ? '' : ` to ${to}`}:`,
		...[header, body, footer].filter((part): part is string => part !== undefined && part !== ''),
		...buttons.map((button) => `[${button}]`),
	];
}
