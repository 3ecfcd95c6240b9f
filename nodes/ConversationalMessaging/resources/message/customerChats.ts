import type { IDataObject } from 'n8n-workflow';
import { statusIn } from '../../api/errors';
import { contactOf } from '../../api/response/chat';
import { customerIds } from '../../api/response/chatMessage';
import { recordOf, isRecord } from '../../api/response/response';
import { channelType } from '../../descriptions/channelTypes';
import { contactKey, unknownStatuses } from '../../parameters/address';
import { withoutUndefined } from '../../parameters/values';
import type { OperationContext, OperationRequest } from '../../runner/operationContext';

/** Whom a message is sent to. */
export interface Recipient {
	to: string;
	channel: string;
	channelId?: string;
}

/** A chat of the customer. */
export interface CustomerChat {
	id: string;
	/** What a message may call the customer, as its sender or recipient. */
	customerIds: string[];
	/** The newest messages, newest first. */
	messages: IDataObject[];
}

/** The largest page of chats, and of messages. Nobody writes more between two reads. */
const PAGE_SIZE = 100;

/**
 * Reads the chats of a recipient, with their newest messages.
 *
 * @returns [] if there is no contact or no chat yet; undefined if the service does not show which are the customer's
 * @throws NodeApiError if a request is rejected, or returns something else than a list
 */
export async function readCustomerChats(
	context: OperationContext,
	recipient: Recipient,
): Promise<CustomerChat[] | undefined> {
	const customer = await findCustomer(context, recipient);
	if (!customer) return [];
	const { contactId, addresses, filters } = customer;
	const rows = new Map<string, IDataObject>();
	for (const [index, filter] of filters.entries()) {
		const chats = await listChats(context, recipient, filter, unknownStatuses(index));
		const customerRows = await rowsOfCustomer(context, chats, recipient, customer);
		if (!customerRows) return undefined;
		for (const row of customerRows) rows.set(chatIdOf(row), row);
	}

	const chats: CustomerChat[] = [];
	for (const [id, row] of rows) {
		// A chat that is listed has a history, so nothing is accepted but that.
		const messages = await context.readPage({
			endpoint: 'GET /chats/{id}/messages',
			path: { id },
			query: { take: PAGE_SIZE },
			action: 'Get messages',
			rowsName: 'messages',
		});
		chats.push({
			id,
			customerIds: customerIds(contactIdOf(row) || contactId, addresses),
			messages: messages.filter(isRecord),
		});
	}
	return chats;
}

/** What shows that a chat is the recipient's. */
interface Customer {
	/** Undefined on WhatsApp. */
	contactId?: string;
	/** All variants of the WhatsApp ID: the customer may answer from 521… to a message to 52…. Or the Instagram ID. */
	addresses: string[];
	/** For the list of chats, which is read with each of them. */
	filters: IDataObject[];
}

/** @returns undefined if there is no contact on Instagram, where the service filters chats by contact ID only */
async function findCustomer(
	context: OperationContext,
	{ to, channel }: Recipient,
): Promise<Customer | undefined> {
	const addresses = channelType(channel).chatAddresses?.(to);
	if (addresses) return { addresses, filters: addresses.map((waId) => ({ waId })) };
	const endpoint = 'GET /contacts/{id}';
	const json = await readIfExists(context, { endpoint, path: { id: to }, action: 'Get contact' });
	if (json === undefined) return undefined;
	const { id: contactId = to } = recordOf(json, endpoint);
	return { contactId, addresses: [to], filters: [{ contactId }] };
}

async function listChats(
	context: OperationContext,
	{ channel, channelId }: Recipient,
	filter: IDataObject,
	unknown: number[],
): Promise<IDataObject[]> {
	const query = withoutUndefined({ ...filter, channel, channelId, limit: PAGE_SIZE });
	const rowsName = 'chats';
	const rows = await context
		.readPage({ endpoint: 'GET /chats', query, action: 'Get chats', rowsName })
		.catch((error: unknown) => {
			if (unknown.includes(statusIn(error))) return [];
			throw error;
		});
	return rows
		.filter(isRecord)
		.map((row) => recordOf({ data: row }, 'GET /chats/{id}').record)
		.filter((row) => chatIdOf(row) !== '');
}

/**
 * The rows of the customer: a service may ignore the filter, and nothing that a stranger writes is a reply. If the rows do
 * not show whose they are, the details of a chat do (API document, `GET /chats/{id}`), as far as all rows have one contact.
 *
 * @returns undefined if neither shows it, or if a full page has only chats of strangers
 */
async function rowsOfCustomer(
	context: OperationContext,
	rows: IDataObject[],
	{ to, channel }: Recipient,
	{ contactId, addresses }: Customer,
): Promise<IDataObject[] | undefined> {
	const ids = contactId === undefined ? addresses : [contactId, ...addresses];
	const keys = new Set(ids.map(contactKey));
	const { shownAddresses, isComparable } = channelType(channel);
	const addressesOf = (row: IDataObject) =>
		shownAddresses(contactOf(row))
			.filter((address) => address !== undefined)
			// In the form in which addresses are compared.
			.map(contactKey)
			.filter((address) => isComparable(address, to));
	const isCustomers = (row: IDataObject) => addressesOf(row).some((address) => keys.has(address));
	const [first, ...others] = rows;
	if (!first) return rows;
	if (rows.some((row) => addressesOf(row).length > 0)) {
		const found = rows.filter(isCustomers);
		return found.length === 0 && rows.length >= PAGE_SIZE ? undefined : found;
	}
	if (new Set(rows.map((row) => contactIdOf(row) || chatIdOf(row))).size > 1) return undefined;
	const detailed = await withDetails(context, first);
	if (addressesOf(detailed).length === 0) return undefined;
	return isCustomers(detailed) ? [detailed, ...others] : [];
}

async function withDetails(context: OperationContext, row: IDataObject): Promise<IDataObject> {
	const endpoint = 'GET /chats/{id}';
	const request = { endpoint, path: { id: chatIdOf(row) }, action: 'Get chat' } as const;
	const json = await readIfExists(context, request);
	return { ...row, ...recordOf(json, endpoint).record };
}

const contactIdOf = (row: IDataObject): string => contactOf(row).id ?? '';

const chatIdOf = (row: IDataObject): string => recordOf({ data: row }, 'GET /chats/{id}').id ?? '';

/** @returns the response; undefined if what it is about does not exist */
async function readIfExists(
	context: OperationContext,
	request: OperationRequest,
): Promise<unknown> {
	const { status, json } = await context.send({ ...request, acceptStatuses: [404] });
	return status === 404 ? undefined : json;
}
