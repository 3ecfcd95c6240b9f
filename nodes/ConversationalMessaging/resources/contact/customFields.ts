import type { INodeProperties } from 'n8n-workflow';
import { shown } from '../../api/access/shown';
import { textField } from '../../descriptions/basicFields';
import { entriesField } from '../../descriptions/entries';
import { fieldLabelField } from '../../descriptions/records';
import { IS_EMPTY, WITHOUT_VALUE } from '../../parameters/emptyValues';
import type { Parameters } from '../../parameters/parameters';
import { formatValue } from '../../parameters/values';
import { isSimilar, spelling } from '../shared/customFields';
import { type WantedValue, readFieldValue } from './wantedValues';

export const customFieldsField: INodeProperties = entriesField({
	displayName: 'Custom Fields',
	name: 'customFields',
	description: 'Custom fields to set on the contact. One without a value stays unchanged.',
	noun: 'Field',
	saved: 'field',
	title: '($collection.item.value.label?.value ?? $collection.item.value.label)',
	values: [
		fieldLabelField({ displayName: 'Label', name: 'label', description: 'Label of the field' }),
		textField('Value', 'value', { placeholder: 'e.g. Berlin', description: 'Value of the field' }),
	],
});

/** All of them at once, e.g. to copy the custom fields of a contact. */
export const customFieldValuesField: INodeProperties = {
	displayName: 'Custom Field Values',
	name: 'customFieldValues',
	type: 'json',
	default: '={{ $json.customFieldValues }}',
	description:
		'An object of labels and values, such as customFieldValues of a contact. They are set besides those under Custom Fields.',
};

export const CUSTOM_FIELD_NAMES = [
	customFieldsField.name,
	`options ${customFieldValuesField.name}`,
] as const;

/** Whether empty cells of an item clear what the contact has, or change nothing. */
export type CellKind = 'clearing' | 'mayBeEmpty';

/**
 * What Custom Fields says about a contact.
 *
 * @param keyLabel of the field that identifies the contact, which is set by another field of the node
 * @throws NodeOperationError for a label or a value that cannot be used
 */
export function readCustomFields(
	parameters: Parameters,
	kind: CellKind,
	keyLabel?: string,
): WantedValue[] {
	const read = readFieldValue(parameters.n8n.getTimezone());
	return enteredFields(parameters, kind, keyLabel).flatMap(({ label, value }) => {
		if (value === undefined) return [];
		const { value: text, expected } = read(value);
		if (text !== undefined) return [{ field: label, isCustom: true, text }];
		throw parameters.invalid(
			shown`The custom field ${label} expects ${expected}, but got ${formatValue(value)}`,
			'Check the value, or the expression that returns it.',
		);
	});
}

/** What an object has as a cell, like `FieldReader.cell`. */
function cellIn(value: unknown, kind: CellKind): unknown {
	if (!IS_EMPTY.cell(value)) return value;
	const meaning = WITHOUT_VALUE[kind][value === undefined ? 'missing' : 'empty'];
	return meaning === 'cleared' ? '' : undefined;
}

/** The custom fields of an item, those without a value left out, or '' to clear them. @throws NodeOperationError if a label is missing or occurs twice */
function enteredFields(
	parameters: Parameters,
	kind: CellKind,
	keyLabel: string | undefined,
): { label: string; value: unknown }[] {
	const isKey = (label: string) => keyLabel !== undefined && isSimilar(label, keyLabel);
	const object = parameters.collection('options').object('customFieldValues', 'mayBeEmpty') ?? {};
	// The key is one of the custom fields of a contact. Another field of the node sets it.
	const values = Object.entries(object).filter(([label]) => !isKey(label));
	const entries = parameters.groups('customFields', kind);
	const all = [
		...values.map(([label, value]) => ({ label: label.trim(), value: cellIn(value, kind) })),
		...entries.map((entry) => ({
			label: entry.key('label', 'mayBeEmpty'),
			value: entry.cell('value'),
		})),
	];
	const seen = new Set<string>();
	return all.flatMap(({ label, value }) => {
		if (!label && (value === undefined || value === '')) return [];
		if (!label) {
			throw parameters.invalid(
				'A value under Custom Fields has no label',
				'Enter the Label of the field.',
			);
		}
		if (isKey(label)) {
			throw parameters.invalid(
				shown`Custom Fields contains ${label}, which is also the key field`,
				'Remove it from Custom Fields. Key Value sets it.',
			);
		}
		if (seen.has(spelling(label))) {
			throw parameters.invalid(
				shown`Custom Fields contains the label ${label} twice`,
				'Remove one. Labels that differ only in case or spaces count as one.',
			);
		}
		seen.add(spelling(label));
		return [{ label, value }];
	});
}
