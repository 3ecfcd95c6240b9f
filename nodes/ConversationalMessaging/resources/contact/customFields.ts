import type { INodeProperties } from 'n8n-workflow';
import { shown } from '../../api/access/shown';
import { isRecord } from '../../api/response/response';
import { fieldLabelField } from '../../descriptions/records';
import type { Parameters } from '../../parameters/parameters';
import { formatValue, isBlank, locatorValue, readText } from '../../parameters/values';
import { isSimilar, spelling } from '../shared/customFields';
import type { WantedValue } from './values';
import { isEmptyValue, readFieldValue } from './values';

/** Custom fields of a contact: labels with values. */
export const customFieldsField: INodeProperties = {
	displayName: 'Custom Fields',
	name: 'customFields',
	type: 'fixedCollection',
	typeOptions: {
		multipleValues: true,
		fixedCollection: {
			itemTitle:
				'={{ ($collection.item.value.label?.value ?? $collection.item.value.label) || "Field" }}',
		},
	},
	placeholder: 'Add Field',
	default: {},
	options: [
		{
			displayName: 'Field',
			name: 'field',
			values: [
				fieldLabelField({
					displayName: 'Label',
					name: 'label',
					description: 'Label of the field',
				}),
				{
					displayName: 'Value',
					name: 'value',
					type: 'string',
					default: '',
					placeholder: 'e.g. Berlin',
					description: 'Value of the field',
				},
			],
		},
	],
	description: 'Custom fields to set on the contact. One without a value stays unchanged.',
};

/** All of them at once, e.g. to copy the custom fields of a contact. */
export const customFieldValuesField: INodeProperties = {
	displayName: 'Custom Field Values',
	name: 'customFieldValues',
	type: 'json',
	default: '={{ $json.customFieldValues }}',
	description:
		'An object of labels and values, such as customFieldValues of a contact. They are set besides those under Custom Fields.',
};

/** The names of the fields with custom fields. */
export const CUSTOM_FIELD_NAMES = [
	customFieldsField.name,
	`options ${customFieldValuesField.name}`,
] as const;

/** How Custom Fields are read. */
interface ReadingRules {
	/** Whether empty values clear what the contact has. Otherwise, they change nothing. */
	clearEmpty: boolean;
	/** The label of the field that identifies the contact, which is set by another field of the node. */
	keyLabel?: string;
}

/** What Custom Fields says about a contact. @throws NodeOperationError for a label or a value that cannot be used */
export function readCustomFields(
	parameters: Parameters,
	{ clearEmpty, keyLabel }: ReadingRules,
): WantedValue[] {
	const read = readFieldValue(parameters.n8n.getTimezone());
	return enteredFields(parameters, keyLabel).flatMap(({ label, value: raw }) => {
		const isEmpty = isEmptyValue(raw);
		if (raw === undefined || (isEmpty && !clearEmpty)) return [];
		if (isEmpty) return [{ field: label, isCustom: true, text: '', raw }];
		const { value: text, expected } = read(raw);
		if (text !== undefined) return [{ field: label, isCustom: true, text, raw }];
		throw parameters.invalid(
			shown`The custom field ${label} expects ${expected}, but got ${formatValue(raw)}`,
			'Check the value, or the expression that returns it.',
		);
	});
}

/** The custom fields of an item. @throws NodeOperationError if a label is missing or occurs twice */
function enteredFields(
	parameters: Parameters,
	keyLabel: string | undefined,
): { label: string; value: unknown }[] {
	const collection = parameters.raw('customFields');
	const field: unknown = isRecord(collection) ? collection.field : undefined;
	const entries = Array.isArray(field) ? (field as unknown[]).filter(isRecord) : [];
	const isKey = (label: string) => keyLabel !== undefined && isSimilar(label, keyLabel);
	const object = parameters.collection('options').optionalObject('customFieldValues') ?? {};
	// The key is one of the custom fields of a contact. Another field of the node sets it.
	const values = Object.entries(object).filter(([label]) => !isKey(label));
	const seen = new Set<string>();
	const all = [...values.map(([label, value]) => ({ label, value })), ...entries];
	return all.flatMap(({ label: picked, value }) => {
		const entered = locatorValue(picked);
		const label = isBlank(entered) ? '' : readText(entered).value;
		if (label === '' && isBlank(value)) return [];
		if (label === '' || label === undefined) {
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
