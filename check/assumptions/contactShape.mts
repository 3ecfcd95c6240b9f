import { recordOf } from '../../nodes/ConversationalMessaging/api/record.ts';
import { isRecord, payloadOf } from '../../nodes/ConversationalMessaging/api/response.ts';
import { customFieldsOf } from '../../nodes/ConversationalMessaging/resources/shared/customFields.ts';
import { idOf } from '../../nodes/ConversationalMessaging/api/pages.ts';
import { assumption, failsAt, fails, holds, cannotTell } from '../assumption.mts';
import { whyNot } from '../observe.mts';
import { isOk, type ListReading, type Reading } from '../service.mts';
import { literal, say } from '../shown.mts';
import type { IDataObject } from 'n8n-workflow';

interface Observed {
	list: ListReading;
	/** The contact in the list. */
	row?: IDataObject;
	reading?: Reading;
}

export const contactShape = assumption<Observed>({
	id: 'contact-shape',
	question: 'Do the nodes find a contact and its custom fields in the response?',
	settles: [
		'getContact: the form of its custom fields',
		'getContact: and whether they are returned; whether it is directly in data or under a name',
	],
	otherwise:
		'Contact Field → Set does not find an existing field, and asks for its ID instead of creating a second one.',
	async observe(service) {
		const list = await service.largePage('contacts');
		// A contact that has custom fields shows more than one without.
		const row = list.rows.find(hasFields) ?? list.rows.find((entry) => idOf(entry) !== undefined);
		const id = row && idOf(row);
		return id === undefined
			? { list }
			: { list, row, reading: await service.read('GET /contacts/{id}', { path: { id } }) };
	},
	judge({ list, row, reading }, { names }) {
		if (!list.path) return cannotTell(whyNot(list.reading));
		if (!reading) return cannotTell(say`no contact with an ID was read`);
		if (!isOk(reading)) return cannotTell(whyNot(reading));
		const { record, id } = recordOf(reading.response?.json, ['contact']);
		const payload = payloadOf(reading.response?.json);
		const wrapper = isRecord(payload)
			? Object.keys(payload).find((key) => payload[key] === record)
			: undefined;
		const where = wrapper === undefined ? say`directly in data` : say`under ${names.key(wrapper)}`;
		if (id === undefined) return failsAt(['GET /contacts/{id}'], where, say`its ID is not found`);
		const { fields, isComplete } = customFieldsOf(record) ?? { fields: [], isComplete: false };
		const key = fieldsKey(record);
		const form =
			key === undefined
				? undefined
				: say`custom fields in ${names.key(key)}: ${literal(formOf(record[key]))}`;
		if (fields.length > 0)
			return fields.every((field) => field.id !== undefined)
				? holds(where, form ?? say`custom fields with label and ID`)
				: fails(where, form ?? say`custom fields`, say`without IDs`);
		// A contact without custom fields may not have the key either.
		if (isComplete || (key === undefined && !(row && hasFields(row))))
			return cannotTell(
				where,
				...(form ? [form] : []),
				say`no contact with custom fields was read`,
			);
		return fails(
			where,
			...(form ? [form] : []),
			say`custom fields are not returned, or not recognized`,
		);
	},
});

const FIELD_KEY =
	/^(?:custom_?(?:fields?|attributes?|data|properties)|fields|attributes|contact_?fields|properties)$/i;

const fieldsKey = (record: IDataObject): string | undefined =>
	Object.keys(record).find((key) => FIELD_KEY.test(key));

const hasFields = (row: IDataObject): boolean => {
	const key = fieldsKey(row);
	const value = key === undefined ? undefined : row[key];
	if (idOf(row) === undefined) return false;
	return Array.isArray(value) ? value.length > 0 : isRecord(value) && Object.keys(value).length > 0;
};

function formOf(value: unknown) {
	if (Array.isArray(value))
		return value.length === 0
			? 'an empty list'
			: isRecord(value[0])
				? 'a list of records'
				: 'a list of values';
	if (!isRecord(value)) return 'neither a list nor a map';
	const entries = Object.values(value);
	if (entries.length === 0) return 'an empty map';
	return entries.every(isRecord) ? 'a map of records' : 'a map of values';
}
