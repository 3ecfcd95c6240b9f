import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import type { ServiceClient } from '../api/client';
import { createEditorClient } from '../api/client';
import type { CustomField } from '../api/response/customFields';
import { customFieldsIn } from '../api/response/customFields';
import { readPage } from '../api/reads/pages';
import { send } from '../api/send';
import { sentId } from '../parameters/address';
import { chosenInEditor } from '../parameters/editor';
import { listEntry, PAGES_PER_SEARCH, requestFor } from './search';

/** Contacts per page; the service's maximum (API document, section Limits). */
const PAGE_SIZE = 200;

/** The custom fields of the chosen contact, by ID. */
export async function searchContactFields(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const contactId = chosenContact(this);
	if (contactId === undefined) {
		// The list in n8n's editor shows the message without the description.
		throw new NodeOperationError(
			this.getNode(),
			'Pick the contact first. If an expression selects it, enter the ID of the field.',
		);
	}
	const fields = await fieldsOf(await createEditorClient(this), contactId, []);
	const entries = fields.flatMap(({ id, label, value }) => listEntry(id, label, value) ?? []);
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
	const own = contactId === undefined ? [] : await fieldsOf(client, contactId, [400, 404]);
	const entries = new Map(
		own.flatMap(({ label, value }) => labelEntry(label, value)).map((one) => [one.value, one]),
	);
	const found = new Map<string, INodeListSearchItems>();
	for (let page = 1; page <= PAGES_PER_SEARCH; page++) {
		const { rows, meta } = await readPage(client, {
			...requestFor({ action: 'List contacts', endpoint: 'GET /contacts' }, 'label'),
			rowsName: 'contacts',
			query: { page, limit: PAGE_SIZE },
		});
		for (const row of rows)
			for (const { label } of customFieldsIn({ data: row })?.fields ?? [])
				for (const entry of labelEntry(label)) found.set(label, entry);
		const isFound = matching([...found.values()], filter).length > 0;
		if (isFound || rows.length === 0 || page >= (meta.totalPages ?? 1)) break;
	}
	const others = [...found.values()].sort((one, other) => one.name.localeCompare(other.name));
	for (const entry of others) if (!entries.has(entry.value)) entries.set(entry.value, entry);
	return { results: matching([...entries.values()], filter) };
}

const chosenContact = (context: ILoadOptionsFunctions): string | undefined =>
	chosenInEditor(context.getCurrentNodeParameter('contactId'));

/** @param unknown statuses that mean that there is no such contact */
async function fieldsOf(
	client: ServiceClient,
	contactId: string,
	unknown: number[],
): Promise<CustomField[]> {
	const response = await send(client, {
		...requestFor({ action: 'Get contact', endpoint: 'GET /contacts/{id}' }, 'ID of the field'),
		path: { id: sentId(contactId) },
		acceptStatuses: unknown,
	});
	return response.status < 300 ? (customFieldsIn(response.json)?.fields ?? []) : [];
}

const labelEntry = (label: string, value?: unknown): INodeListSearchItems[] =>
	label === '' ? [] : [listEntry(label, label, value) ?? []].flat();

const matching = (entries: INodeListSearchItems[], filter = ''): INodeListSearchItems[] =>
	entries.filter(({ name }) => name.toLowerCase().includes(filter.trim().toLowerCase()));
