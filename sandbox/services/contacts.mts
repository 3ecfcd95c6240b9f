import { SEARCH_TEXT, type ChannelType, type Contact } from '../records.mts';
import { conflict, csvFile, invalid, notFound, record, metaOf, pageOf } from '../replies.mts';
import type { PageSize } from '../contract.mts';
import type { World } from '../world.mts';
import { customFieldsData, listedFieldsData } from '../shapes.mts';
import { isMember, membersOf } from './segments.mts';
import { type ServiceCall, type Service, tablePage, text } from './service.mts';

interface ContactView extends Contact {
	channel: ChannelType | null;
	segments: { id: string; name: string }[];
}

/** A contact in a response: with custom fields and segments. */
function contactView(world: World, contact: Contact): ContactView {
	const segments = world.segments.filter((segment) => isMember(segment, contact));
	return {
		...contact,
		channel: channelOf(world, contact),
		segments: segments.map(({ id, name }) => ({ id, name })),
	};
}

/** A contact in a list. */
function listedView({ world, options }: ServiceCall, contact: Contact): unknown {
	const { customFields, ...rest } = contactView(world, contact);
	return { ...rest, ...listedFieldsData(customFields, options.shapes) };
}

/** A contact belongs to one channel. Only contacts on WhatsApp and Instagram have an address. */
function channelOf(world: World, { id, waId, igId }: Contact): ChannelType | null {
	if (waId) return 'WHATSAPP';
	return igId ? 'INSTAGRAM' : (world.chatOf(id)?.channel ?? null);
}

function contactOr404(world: World, key: string): Contact {
	const contact = world.findContact(key);
	if (!contact) throw notFound('Contact');
	return contact;
}

/** The rows that match search, channel and segmentId; undefined if none of them is given. */
function contactFilter({ world, query }: ServiceCall): ((contact: Contact) => boolean) | undefined {
	const search = String(query.search ?? '').toLowerCase();
	const { channel, segmentId } = query;
	if (!search && !channel && !segmentId) return undefined;
	const segment = segmentId === undefined ? undefined : world.segments.get(String(segmentId));
	return (contact) =>
		(segmentId === undefined || (segment !== undefined && isMember(segment, contact))) &&
		(!channel || (channel === 'WHATSAPP' ? contact.waId !== null : contact.igId !== null)) &&
		(!search || (contact[SEARCH_TEXT] as string).includes(search));
}

/** Empty text clears a field. Whether it does is undocumented. */
function clearedAsNull(body: Record<string, unknown>): Partial<Contact> {
	return Object.fromEntries(
		Object.entries(body).map(([name, value]) => [name, value === '' ? null : value]),
	);
}

/**
 * An update leaves a contact at least one address, and never gives it another's. Contacts of channels without addresses
 * have none to lose. An update lists no 409.
 */
function checkAddresses(world: World, contact: Contact, changes: Partial<Contact>): void {
	const { waId, igId } = { ...contact, ...changes };
	const hadAddress = Boolean(contact.waId ?? contact.igId);
	if (hadAddress && !waId && !igId) throw invalid('A contact needs waId or igId');
	const owners = [
		changes.waId ? world.findContactByWaId(changes.waId) : undefined,
		changes.igId ? world.findContactByIgId(changes.igId) : undefined,
	];
	if (owners.some((owner) => owner !== undefined && owner !== contact))
		throw invalid('Another contact has this waId or igId');
}

const CSV_COLUMNS = [
	'id',
	'name',
	'customName',
	'waId',
	'igId',
	'igUsername',
	'createdAt',
] as const;

function csvCell(value: string | null): string {
	const cell = value ?? '';
	return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

export function csvLine(cells: readonly (string | null)[]): string {
	return `${cells.map(csvCell).join(',')}\r\n`;
}

function* exportLines(call: ServiceCall): Generator<string> {
	const keep = contactFilter(call);
	yield csvLine(CSV_COLUMNS);
	for (const contact of call.world.contacts.newestFirst()) {
		if (!keep || keep(contact)) yield csvLine(CSV_COLUMNS.map((column) => contact[column]));
	}
}

export const contacts: Service = {
	listContacts(call) {
		const { world, query } = call;
		// A segment has few members: no need to check every contact.
		const segment =
			query.segmentId === undefined ? undefined : world.segments.get(String(query.segmentId));
		if (segment && !segment.isDynamic) {
			const keep = contactFilter(call);
			const rows = membersOf(world, segment).filter((row) => keep?.(row) ?? true);
			const page = pageOf(query, call.pageSize as PageSize);
			const first = (page.page - 1) * page.limit;
			const shown = rows.slice(first, first + page.limit).map((row) => listedView(call, row));
			return { kind: 'list', name: 'contacts', rows: shown, meta: metaOf(rows.length, page) };
		}
		return tablePage(call, 'contacts', world.contacts, contactFilter(call), (contact) =>
			listedView(call, contact),
		);
	},

	createContact({ world, body }) {
		const waId = text(body, 'waId');
		const igId = text(body, 'igId');
		if (!waId && !igId) throw invalid('At least one of waId or igId is required');
		if ((waId && world.findContactByWaId(waId)) || (igId && world.findContactByIgId(igId))) {
			throw conflict(`A contact with this ${waId ? 'waId' : 'igId'} already exists`);
		}
		const contact = world.addContact({
			name: body.name as string,
			waId: waId ?? null,
			igId: igId ?? null,
		});
		return record(contactView(world, contact));
	},

	getContact({ world, params, options }) {
		const { customFields, contactUnder } = options.shapes;
		const contact = contactOr404(world, params.id as string);
		const { customFields: fields, ...rest } = contactView(world, contact);
		const data = { ...rest, ...customFieldsData(fields, customFields) };
		return record(contactUnder === 'top' ? data : { contact: data });
	},

	updateContact({ world, params, body }) {
		const contact = contactOr404(world, params.id as string);
		const changes = clearedAsNull(body);
		checkAddresses(world, contact, changes);
		return record(contactView(world, world.changeContact(contact, changes)));
	},

	exportContacts: (call) => csvFile('contacts.csv', exportLines(call)),

	getContactImportTemplate: ({ options }) =>
		csvFile('contact-import-template.csv', csvLine(options.shapes.importColumns)),
};

export const contactFields: Service = {
	addContactField({ world, params, body }) {
		const contact = contactByCuid(world, params.id as string);
		const field = { id: world.newId(), label: body.label as string, value: body.value as string };
		contact.customFields.push(field);
		return record(field);
	},

	updateContactField({ world, params, body }) {
		const contact = contactByCuid(world, params.id as string);
		const field = contact.customFields.find(({ id }) => id === params.fieldId);
		if (!field) throw notFound('Contact field');
		return record(Object.assign(field, body));
	},

	deleteContactField({ world, params }) {
		const contact = contactByCuid(world, params.id as string);
		const index = contact.customFields.findIndex(({ id }) => id === params.fieldId);
		if (index < 0) throw notFound('Contact field');
		contact.customFields.splice(index, 1);
		return record({ id: params.fieldId });
	},
};

/** The field routes accept only the contact's cuid, neither waId nor igId. */
function contactByCuid(world: World, id: string): Contact {
	const contact = world.contacts.get(id);
	if (!contact) throw notFound('Contact');
	return contact;
}
