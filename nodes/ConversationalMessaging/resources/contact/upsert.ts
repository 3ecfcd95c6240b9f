import type { INodeProperties } from 'n8n-workflow';
import { isRecord, payloadOf } from '../../api/answer';
import { idOf } from '../../api/pages';
import { compact } from '../../fields/parameters';
import type { Operation } from '../operation';
import { addressFields, readAddress } from './address';
import { customNameField, igUsernameField } from './details';

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
		options: [customNameField, igUsernameField],
	},
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
	subject: (parameters) => readAddress(parameters).key,
	prepare(parameters) {
		const { waId, igId, key } = readAddress(parameters);
		const name = parameters.required('name', 'Name');
		const additional = parameters.group('additionalFields');
		const details = compact({
			customName: additional.text('customName'),
			igUsername: additional.text('igUsername'),
		});
		const path = { id: key };

		return async ({ send, output }) => {
			// First the update, which makes no second contact however often it runs: only what is not there is created.
			const updated = await send(
				'PATCH /contacts/{id}',
				{ path, body: { ...compact({ name, waId, igId }), ...details } },
				[404],
			);
			if (updated.status !== 404) return output(updated);
			const created = await send('POST /contacts', { body: compact({ name, waId, igId }) }, [409]);
			// Somebody else created it in between, or there are details that a new contact cannot be given.
			if (created.status !== 409 && Object.keys(details).length === 0) return output(created);
			const record = payloadOf(created.json);
			const id = created.status !== 409 && isRecord(record) ? (idOf(record) ?? key) : key;
			return output(
				await send('PATCH /contacts/{id}', {
					path: { id },
					body: { ...compact({ name }), ...details },
				}),
			);
		};
	},
};
