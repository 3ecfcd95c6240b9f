import { isSimilar } from '../../shared/customFields';
import type { OperationContext } from '../../../runner/operationContext';
import type { ContactList } from './contacts';
import type { MatchBy, SyncItem } from './item';
import type { Match } from './match';
import { numberText } from './outcomes';

/** From this number of new contacts on, an import is the better way. */
const MANY_NEW = 500;

/**
 * Checks whether custom fields can be compared, if the items have any.
 *
 * @throws NodeOperationError if the list of contacts does not show them, or contacts have the key field under another
 *   spelling only: every item would be a new contact. Nothing has been written by then
 */
export function checkFields(
	context: OperationContext,
	matchBy: MatchBy,
	items: SyncItem[],
	{ contacts, showsFields }: ContactList,
): void {
	const hasFields = items.some(({ values }) => values.some(({ isCustom }) => isCustom));
	if (!hasFields || contacts.length === 0) return;
	if (!showsFields) {
		throw context.invalid(
			'The service’s list of contacts does not show custom fields, so they cannot be compared',
			'Nothing was written. Match by WhatsApp ID or Instagram ID, remove Custom Fields, and set them with Contact Field → Set. If no contact has a custom field yet, add one with Contact Field → Add first.',
		);
	}
	if (matchBy.by !== 'customField') return;
	const labels = new Set(
		contacts.flatMap(({ fields }) => (fields?.fields ?? []).map(({ label }) => label)),
	);
	const other = [...labels].find((label) => isSimilar(label, matchBy.label));
	if (other === undefined || labels.has(matchBy.label)) return;
	throw context.invalid(
		`Contacts have the field ${other}, but not ${matchBy.label}`,
		'Nothing was written. Enter Key Field Label as the service spells it.',
	);
}

/** The labels of the fields that a contact may not show. */
const NAMES = { name: 'Name', customName: 'Custom Name', igUsername: 'Instagram Username' };

/** Names that contacts never show cannot be compared, so they are sent in every run. */
export function noticeHiddenNames(
	context: OperationContext,
	items: SyncItem[],
	{ contacts }: ContactList,
): void {
	if (contacts.length === 0) return;
	for (const [name, label] of Object.entries(NAMES)) {
		const isWanted = items.some(({ values }) =>
			values.some(({ field, isCustom }) => field === name && !isCustom),
		);
		if (!isWanted || contacts.some(({ record }) => name in record)) continue;
		context.notify(
			`The service does not return ${label} with its contacts, so it cannot be compared and is sent for every item`,
		);
	}
}

/** Creating contacts takes a request each, and more for their custom fields. */
export function noticeManyNew(context: OperationContext, matches: Match[]): void {
	const count = matches.filter(({ kind }) => kind === 'new').length;
	if (count <= MANY_NEW) return;
	context.notify(
		`${numberText(count)} contacts are new, and Sync creates them one by one. Before the next sync with this many, create them with Contact Import → Start.`,
	);
}
