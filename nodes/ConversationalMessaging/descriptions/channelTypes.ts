import type { IDataObject, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { Address } from '../api/response/contact';
import { valueOf } from '../api/response/response';
import { choiceField } from './basicFields';
import type { Parameters } from '../parameters/parameters';
import { readWhatsAppId } from '../parameters/customer';
import { customerId } from '../phone/customerId';

/** A channel type that messages are sent to. Whatever differs between channel types is here. */
interface ChannelType {
	value: string;
	name: string;
	/** What a contact's address on it is called. */
	addressName: string;
	/** The address that a contact shows; undefined if it is on another channel type. */
	addressOf: (contact: Address) => string | undefined;
	/** The address as a message has it; undefined if nothing can be sent to it. */
	sendable: (address: string | undefined) => string | undefined;
	/** What the picker shows beside a contact's name. */
	detailOf: (contact: IDataObject, address: string | undefined) => unknown;
	/** Reads the field To. @throws NodeOperationError if it is empty, or no address */
	readTo: (parameters: Parameters) => string;
	/** The same for all ways to write one address, so that messages to it keep their order. */
	orderOf: (to: string) => string;
	hasTemplates: boolean;
	hasNumbers: boolean;
	/** The addresses by which the service filters chats; undefined if it filters them by contact ID only. */
	chatAddresses?: (to: string) => string[];
	shownAddresses: (contact: Address & { id?: string }) => (string | undefined)[];
	isComparable: (one: string, other: string) => boolean;
}

const WHATSAPP: ChannelType = {
	value: 'WHATSAPP',
	name: 'WhatsApp',
	addressName: 'WhatsApp ID',
	addressOf: ({ waId }) => waId,
	sendable: (address) => readWhatsAppId(address).value,
	detailOf: (_contact, address) => address,
	readTo: (parameters) => parameters.requiredRecipient('to'),
	orderOf: (to) => customerId(to).key,
	hasTemplates: true,
	hasNumbers: true,
	chatAddresses: (to) => [...new Set([to, ...customerId(to).variants])],
	shownAddresses: ({ waId }) => [waId],
	// A number says nothing about a user ID.
	isComparable: (one, other) => isUserId(one) === isUserId(other),
};

const isUserId = (address: string): boolean => customerId(address).kind === 'userId';

/** A new channel type is a row here. */
export const channelTypes: readonly ChannelType[] = [
	{
		value: 'INSTAGRAM',
		name: 'Instagram',
		addressName: 'Instagram ID',
		addressOf: ({ igId }) => igId,
		sendable: (address) => address,
		detailOf: (contact) => valueOf(contact, 'igUsername'),
		readTo: (parameters) => parameters.id('to', 'required'),
		orderOf: (to) => to,
		hasTemplates: false,
		hasNumbers: false,
		shownAddresses: ({ id, igId }) => [id, igId],
		isComparable: () => true,
	},
	WHATSAPP,
];

export const DEFAULT_CHANNEL_TYPE = WHATSAPP.value;

/** @param value as saved; the default channel type if there is no such */
export const channelType = (value: unknown): ChannelType =>
	channelTypes.find((type) => type.value === value) ?? WHATSAPP;

export const sendingTypeOptions: INodePropertyOptions[] = channelTypes.map(({ name, value }) => ({
	name,
	value,
}));

const filterTypeOptions: INodePropertyOptions[] = [
	{ name: 'Instagram', value: 'INSTAGRAM' },
	{ name: 'WhatsApp', value: 'WHATSAPP' },
];

export const channelTypeField = (description: string): INodeProperties =>
	choiceField('Channel Type', 'channel', {
		options: filterTypeOptions,
		default: DEFAULT_CHANNEL_TYPE,
		description,
	});

/** The condition of a field that only some channel types have. */
export const ifChannel = (has: 'hasNumbers' | 'hasTemplates') => ({
	'/channel': channelTypes.filter((type) => type[has]).map(({ value }) => value),
});
