import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';
import { invalid } from '../api/errors';
import { type ServiceClient, createEditorClient } from '../api/client';
import { pageQuery } from '../api/endpoint';
import { type CustomField, customFieldsOf, listedFields } from '../api/response/contact';
import { recordOf } from '../api/response/response';
import { readPage, withoutIds } from '../api/reads/pages';
import { send } from '../api/send';
import { customerId } from '../phone/customerId';
import { chosenInEditor } from '../parameters/editor';
import { listEntry, matching, requestFor } from './search';

/** The custom fields of the chosen contact, by ID. */
export async function searchContactFields(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const contactId = chosenContact(this);
	if (contactId === undefined) {
		// The list in n8n's editor shows the message without the description.
		throw invalid(
			this.getNode(),
			'Pick the contact first. If an expression selects it, enter the ID of the field.',
		);
	}
	const client = await createEditorClient(this);
	const contact = await readContact(client, contactId, []);
	const entries = fieldsIn(contact).flatMap(
		({ id, label, value }) => listEntry(id, label, value) ?? [],
	);
	const listed: unknown[] = [listedFields(contact) ?? []].flat();
	if (listed.length > 0 && entries.length === 0)
		throw withoutIds(client, GET_CONTACT, 'a custom field', listed[0]);
	return { results: matching(entries, filter) };
}

/**
 * The labels of custom fields: first those of the chosen contact, if the operation has one, then those of the contacts
 * that the service lists first. It has no list of all labels.
 */
export async function searchFieldLabels(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const client = await createEditorClient(this);
	const contactId = chosenContact(this);
	const ofContact =
		contactId === undefined ? [] : fieldsIn(await readContact(client, contactId, [400, 404]));
	const { rows } = await readPage(client, {
		...requestFor({ action: 'List contacts', endpoint: 'GET /contacts' }, 'label'),
		query: pageQuery('GET /contacts'),
	});
	const others = rows
		.flatMap((row) => fieldsIn(contactIn({ data: row })))
		.map(({ label }): CustomField => ({ label }))
		.sort((one, other) => one.label.localeCompare(other.label));
	const entries = new Map<string, INodeListSearchItems>();
	for (const { label, value } of [...ofContact, ...others]) {
		const entry = label === '' ? undefined : listEntry(label, label, value);
		if (entry && !entries.has(label)) entries.set(label, entry);
	}
	return { results: matching([...entries.values()], filter) };
}

const chosenContact = (n8n: ILoadOptionsFunctions): string | undefined =>
	chosenInEditor(n8n.getCurrentNodeParameter('contactId'));

const GET_CONTACT = requestFor(
	{ action: 'Get contact', endpoint: 'GET /contacts/{id}' },
	'ID of the field',
);

/** @param unknown statuses that mean that there is no such contact: it is {} then */
async function readContact(
	client: ServiceClient,
	contactId: string,
	unknown: number[],
): Promise<IDataObject> {
	const response = await send(client, {
		...GET_CONTACT,
		path: { id: customerId(contactId).id },
		acceptStatuses: unknown,
	});
	return response.status < 300 ? contactIn(response.json) : {};
}

const contactIn = (json: unknown): IDataObject => recordOf(json, GET_CONTACT.endpoint).record;

const fieldsIn = (contact: IDataObject): CustomField[] => customFieldsOf(contact)?.fields ?? [];
