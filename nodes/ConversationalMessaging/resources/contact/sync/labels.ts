import type { ExistingField } from '../../shared/customFields';
import type { OperationContext } from '../../../runner/operationContext';
import type { KnownContact } from './contacts';
import type { SyncItem } from './item';
import type { MatchBy } from './match';

/** The labels of the custom fields that contacts have. */
export const labelsOf = (contacts: KnownContact[]): ReadonlySet<string> =>
	new Set(contacts.flatMap(({ fields }) => fields.fields.map(({ label }) => label)));

/** What is the same in all spellings of a label. */
const plain = (label: string): string => label.normalize('NFKC').trim().toLowerCase();

/**
 * Labels are compared exactly, as the service keeps them. With another spelling, every item would be a new contact, or
 * every contact would get a second field.
 *
 * @param known the labels of the service's contacts
 * @throws NodeOperationError if contacts have a field in another spelling only, or if items have two spellings of a label
 *   that no contact has
 */
export function checkLabels(
	context: OperationContext,
	matchBy: MatchBy,
	items: SyncItem[],
	known: ReadonlySet<string>,
): void {
	const spellings = new Map([...known].map((label) => [plain(label), label]));
	// The key field is among the values of every item.
	const wanted = new Set(
		items.flatMap(({ values }) => values.flatMap(({ field, isCustom }) => (isCustom ? field : []))),
	);
	const unknown = new Map<string, string>();
	for (const label of wanted) {
		if (known.has(label)) continue;
		const other = spellings.get(plain(label));
		if (other !== undefined) {
			const isKey = matchBy.by === 'customField' && label === matchBy.label;
			throw context.invalid(
				`Contacts have the field ${other}, but not ${label}`,
				`Enter the label under ${isKey ? 'Key Field Label' : 'Custom Fields'} as the service spells it. Nothing was written.`,
			);
		}
		const same = unknown.get(plain(label));
		if (same !== undefined) {
			throw context.invalid(
				`The labels ${same} and ${label} differ only in spelling`,
				'Use one label for both, or remove one. Nothing was written.',
			);
		}
		unknown.set(plain(label), label);
	}
}

/**
 * The field of a contact whose label differs only in spelling from one that the contact lacks. A list may not show it.
 *
 * @param known labels that other contacts have: with these, both spellings are fields of the service
 */
export const otherSpelling = (
	label: string,
	fields: ExistingField[],
	known: ReadonlySet<string>,
): string | undefined =>
	known.has(label)
		? undefined
		: fields.find((field) => field.label !== label && plain(field.label) === plain(label))?.label;
