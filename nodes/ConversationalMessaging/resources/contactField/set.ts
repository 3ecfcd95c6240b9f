import type { IDataObject } from 'n8n-workflow';
import { isRecord, payloadOf } from '../../api/answer';
import { idOf } from '../../api/pages';
import { contactOrder } from '../../fields/records';
import type { Operation } from '../operation';
import { contact, labelField, valueField } from './fields';

/**
 * The custom field of a label. Under which name a contact shows its fields is undocumented: any list of records
 * with that label will do.
 */
function fieldOf(record: IDataObject, label: string): IDataObject | undefined {
	const lists = Object.values(record).filter(Array.isArray) as unknown[][];
	const same = (row: unknown): row is IDataObject =>
		isRecord(row) &&
		typeof row.label === 'string' &&
		row.label.trim() === label &&
		idOf(row) !== undefined;
	return lists.flat().find(same);
}

export const set: Operation = {
	name: 'Set',
	value: 'set',
	action: 'Set contact field',
	description:
		'Write the value of a label, whether or not the contact has that field yet. Also needs contacts.view.',
	endpoint: 'PATCH /contacts/{id}/fields/{fieldId}',
	otherEndpoints: ['GET /contacts/{id}', 'POST /contacts/{id}/fields'],
	fields: [contact, labelField, valueField],
	result: 'steps',
	subject: contactOrder,
	prepare(parameters) {
		const key = parameters.requiredId('contactId');
		const label = parameters.required('label');
		const value = parameters.verbatim('value');

		return async ({ send, output }) => {
			const found = payloadOf((await send('GET /contacts/{id}', { path: { id: key } })).json);
			const record = isRecord(found) ? found : {};
			// The routes of fields take the contact's own ID only, the one before took its addresses too.
			const id = idOf(record) ?? key;
			const field = fieldOf(record, label);
			if (!field)
				return output(
					await send('POST /contacts/{id}/fields', { path: { id }, body: { label, value } }),
				);
			const path = { id, fieldId: idOf(field) as string };
			return output(
				await send('PATCH /contacts/{id}/fields/{fieldId}', { path, body: { label, value } }),
			);
		};
	},
};
