import type { IDataObject } from 'n8n-workflow';
import { pageQuery } from '../../api/endpoint';
import { statusIn } from '../../api/errors';
import { contactOf } from '../../api/response/chat';
import { messageId } from '../../api/response/chatMessage';
import { isRecord, listedRecord, recordOf } from '../../api/response/response';
import { channelType } from '../../descriptions/channelTypes';
import { customerId } from '../../phone/customerId';
import type { OperationContext } from '../../runner/operationContext';
import { unknownStatuses } from '../shared/numberVariants';

/** Whom a message is sent to. */
export interface Recipient {
	to: string;
	channel: string;
	channelId?: string;
}

export interface CustomerChat {
	id: string;
	/** How a message may name the customer, as its sender or recipient. */
	addresses: string[];
	/** Newest first. */
	messages: IDataObject[];
}

const CHATS = 'GET /chats';
const MESSAGES = 'GET /chats/{id}/messages';

/**
 * Reads the chats of a recipient, with their newest messages.
 *
 * @returns [] if there is no contact or no chat yet
 * @throws NodeApiError if a request is rejected, or returns something else than a list
 */
export async function readCustomerChats(
	context: OperationContext,
	recipient: Recipient,
): Promise<CustomerChat[]> {
	const customer = await findCustomer(context, recipient);
	if (!customer) return [];
	const { addresses, filters } = customer;
	const ids = new Set<string>();
	for (const [index, filter] of filters.entries()) {
		const chats = await listChats(context, recipient, filter, unknownStatuses(index));
		for (const { id } of chatsOfCustomer(chats, recipient, customer)) ids.add(id);
	}

	const chats: CustomerChat[] = [];
	for (const id of ids) {
		// A chat that is listed has a history, so nothing is accepted but that.
		const request = { endpoint: MESSAGES, path: { id }, action: 'Get messages' } as const;
		// Nobody writes more than a page between two reads.
		const query = pageQuery(MESSAGES);
		const messages = await context.readPage({ ...request, query }, messageId);
		chats.push({ id, addresses, messages: messages.filter(isRecord) });
	}
	return chats;
}

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
	const request = { endpoint, path: { id: to }, action: 'Get contact' } as const;
	const { status, json } = await context.send({ ...request, acceptStatuses: [404] });
	if (status === 404) return undefined;
	const { id: contactId = to } = recordOf(json, endpoint);
	return { contactId, addresses: [to], filters: [{ contactId }] };
}

type ListedChat = NonNullable<ReturnType<typeof listedRecord>>;

async function listChats(
	context: OperationContext,
	{ channel, channelId }: Recipient,
	filter: IDataObject,
	unknown: number[],
): Promise<ListedChat[]> {
	const query = { ...filter, channel, channelId, ...pageQuery(CHATS) };
	const rows = await context
		.readPage({ endpoint: CHATS, query, action: 'Get chats' })
		.catch((error: unknown) => {
			if (unknown.includes(statusIn(error))) return [];
			throw error;
		});
	return rows.flatMap((row) => listedRecord(row, 'GET /chats/{id}') ?? []);
}

/**
 * The chats of the customer: the service filters them (API document, `GET /chats`), and where rows show an address, those of
 * others are left out, because nothing that a stranger writes is a reply.
 */
function chatsOfCustomer(
	chats: ListedChat[],
	{ to, channel }: Recipient,
	{ contactId, addresses }: Customer,
): ListedChat[] {
	const ids = contactId === undefined ? addresses : [contactId, ...addresses];
	const keys = new Set(ids.map(keyOf));
	const { shownAddresses, isComparable } = channelType(channel);
	const shown = chats.map(({ record }) =>
		shownAddresses(contactOf(record))
			.filter((address) => address !== undefined)
			// In the form in which addresses are compared.
			.map(keyOf)
			.filter((address) => isComparable(address, to)),
	);
	if (shown.every((own) => own.length === 0)) return chats;
	return chats.filter((_chat, index) => shown[index]?.some((address) => keys.has(address)));
}

const keyOf = (id: string): string => customerId(id).key;
