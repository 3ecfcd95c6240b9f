import type { INodeProperties } from 'n8n-workflow';
import type { ServiceResponse } from '../../api/response';
import { payloadOf } from '../../api/response';
import { idOf } from '../../api/pages';
import { withoutUndefined } from '../../parameters/values';
import { clearOptions, withCleared } from '../../descriptions/updateFields';
import type { Operation } from '../operation';
import { addressFields, addressOrder, readAddress } from './address';
import { customNameField, igUsernameField } from './details';

/** What the service accepts for an existing contact only (API document, `POST /contacts`). */
const details: INodeProperties[] = [customNameField, igUsernameField];

const fields: INodeProperties[] = [
	...addressFields,
	{
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. Nathan Smith',
		description: 'Display name of the contact',
	},
	{
		displayName: 'Additional Fields',
		name: 'additionalFields',
		type: 'collection',
		placeholder: 'Add Field',
		default: {},
		options: details,
	},
	clearOptions(details),
];

export const upsert: Operation = {
	name: 'Create or Update',
	value: 'upsert',
	action: 'Create or update contact',
	description: 'Create a new contact, or update the current one if it already exists (upsert)',
	endpoint: 'PATCH /contacts/{id}',
	otherEndpoints: ['POST /contacts'],
	fields,
	result: 'steps',
	orderingKey: addressOrder,
	prepare(parameters) {
		const address = withoutUndefined({ ...readAddress(parameters) });
		const name = parameters.required('name');
		const additional = parameters.collection('additionalFields');
		const extra = withCleared(parameters, additional, {
			customName: additional.text('customName'),
			igUsername: additional.text('igUsername'),
		});
		const ids = Object.values(address) as string[];
		const body = { name, ...address, ...extra };

		return async ({ send, output, refuse }) => {
			/** Updates the contact with one of its IDs. */
			const update = async (): Promise<ServiceResponse | undefined> => {
				for (const id of ids) {
					const updated = await send('PATCH /contacts/{id}', { path: { id }, body }, [404]);
					if (updated.status !== 404) return updated;
				}
				return undefined;
			};
			// Update first: however often it runs, it creates no second contact. Only a contact that does not exist
			// is created.
			const updated = await update();
			if (updated) return output(updated);
			const created = await send('POST /contacts', { body: { name, ...address } }, [409]);
			if (created.status === 409) {
				// The contact was created elsewhere in the meantime.
				const late = await update();
				if (!late) throw refuse(created);
				return output(late);
			}
			// A new contact has nothing to clear, and the other fields need a second request.
			if (Object.values(extra).every((value) => value === '')) return output(created);
			const id = idOf(payloadOf(created.json)) ?? (ids[0] as string);
			const path = { id };
			return output(await send('PATCH /contacts/{id}', { path, body: { name, ...extra } }));
		};
	},
};
