import type { AxiosRequestConfig } from 'axios';
import type { World } from '../../sandbox/world.mts';
import type { Operation } from './operations.mts';

/** A request that the service accepts. */
export interface Example {
	/** What is in the places of the path, one after another. */
	path?: string[];
	query?: Record<string, string | undefined>;
	body?: Record<string, unknown>;
	/** Content of a CSV file: the request is a form then. */
	file?: string;
}

/** A number without a contact. */
const NEW_NUMBER = '12025550143';
const HOUR = 3_600_000;

let made = 0;

/** Records for requests, some of them new, so that a request is accepted any number of times. */
function recordsOf(world: World) {
	const unique = ++made;
	const onWhatsApp = world.chats.find(({ channel }) => channel === 'WHATSAPP')!;
	const onInstagram = world.chats.find(({ channel }) => channel === 'INSTAGRAM')!;
	onWhatsApp.lastInboundAt = world.now() - HOUR;
	onWhatsApp.session = null;
	onInstagram.session = null;
	const fresh = world.addContact({ name: 'Ann', igId: `fresh-${unique}` });
	const field = { id: `field-${unique}`, label: 'City', value: 'Rome' };
	fresh.customFields.push(field);
	const channelId = onWhatsApp.channelId;
	const createdAt = new Date(world.now()).toISOString();
	const components = [{ type: 'BODY', text: 'Welcome, {{name}}!' }];
	const sample = world.templates.find(() => true)!;
	const template = { ...sample, components, channelId: null, createdAt };
	const job = { fileName: 'a.csv', total: 0, failedRows: [], pending: [], taken: 0, createdAt };
	return {
		unique: String(unique),
		user: world.users.find(() => true)!.id,
		chat: onWhatsApp,
		contact: world.contacts.get(onWhatsApp.contactId)!,
		to: world.contacts.get(onWhatsApp.contactId)!.waId!,
		igId: world.contacts.get(onInstagram.contactId)!.igId!,
		message: world.messages.get(onWhatsApp.id)!.at(-1)!.id,
		fresh,
		field,
		channelId,
		segment: world.segments.add({
			...world.segments.find(({ isDynamic }) => !isDynamic)!,
			id: world.newId(),
			name: `Segment ${unique}`,
			members: new Set([onWhatsApp.contactId]),
		}),
		template: world.templates.add({ ...template, id: `t${unique}`, name: `t${unique}` }),
		own: world.templates.add({ ...template, id: `c${unique}`, name: `c${unique}`, channelId }),
		job: world.imports.add({ ...job, id: world.newId(), queuedAt: world.now() }),
		broadcast: world.broadcasts.find(() => true)!,
		flow: world.flows.find(({ active }) => active)!,
		ticket: world.addTicket({ title: 'T' }),
		sendAt: new Date(world.now() + HOUR).toISOString(),
	};
}

type Records = ReturnType<typeof recordsOf>;

const text = (value: string) => ({ type: 'text', text: value });
const update = {
	templateName: 'ticket_update',
	templateLanguage: 'en_US',
	templateComponents: [{ type: 'body', parameters: ['A', '7', 'open'].map(text) }],
};
const plain = { templateName: 'login_code', templateLanguage: 'en_US' };
const page = { page: '1', limit: '7' };

/** By operationId. Together, the examples of an operation have every field and parameter of it. */
const examples: Record<string, (records: Records) => Example[]> = {
	sendMessage: ({ to, channelId, user, message }) => {
		const sent = { to, agentId: user, takeOver: true };
		const reply = { channelId, channel: 'WHATSAPP', contextId: message };
		return [
			{ body: { ...sent, ...reply, type: 'text', text: 'Hello', previewUrl: true } },
			{ body: { ...sent, type: 'image', mediaId: 'm1', caption: 'C' } },
			{ body: { ...sent, type: 'document', mediaUrl: 'https://example.com/a', fileName: 'a' } },
			{ body: { ...sent, type: 'template', ...update } },
		];
	},
	listChats: ({ to: waId, contact, channelId, user: assigneeId }) => {
		const person = { waId, contactId: contact.id };
		const filters = { channelId, channel: 'WHATSAPP', needsEscalation: 'true', assigneeId };
		return [{ query: { ...page, ...person, ...filters } }];
	},
	getChatSession: ({ to, igId, contact, channelId }) => [
		{ query: { waId: to, contactId: contact.id, channelId } },
		{ query: { igId } },
	],
	manageChatSession: ({ to, igId, contact, channelId, user }) => [
		{ body: { waId: to, contactId: contact.id, channelId, agentId: user, action: 'START' } },
		{ body: { igId, agentId: user } },
	],
	getChat: ({ chat }) => [{ path: [chat.id] }],
	assignChat: ({ chat, user }) => [{ path: [chat.id], body: { agentId: user } }],
	deEscalateChat: ({ chat }) => [{ path: [chat.id], body: { reason: 'Solved' } }],
	escalateChat: ({ chat }) => [{ path: [chat.id], body: { reason: 'Asked' } }],
	listChatMessages: ({ chat, message }) => [
		{ path: [chat.id], query: { take: '7', cursor: message } },
	],
	listContacts: ({ segment }) => [
		{ query: { ...page, search: 'a', channel: 'WHATSAPP', segmentId: segment.id } },
	],
	createContact: ({ unique }) => [
		{ body: { name: 'Ann', waId: `new-${unique}`, igId: `new-${unique}` } },
	],
	exportContacts: ({ segment }) => [
		{ query: { search: 'a', channel: 'WHATSAPP', segmentId: segment.id } },
	],
	importContacts: () => [{ file: `name,waId\nAnn,${NEW_NUMBER}\n` }],
	getContactImportTemplate: () => [{}],
	listContactImports: () => [{ query: { activeOnly: 'true', limit: '7' } }],
	getContactImport: ({ job }) => [{ path: [job.id] }],
	getContactImportErrors: ({ job }) => [{ path: [job.id] }],
	getContact: ({ fresh }) => [{ path: [fresh.id] }],
	updateContact: ({ fresh, unique }) => {
		const addresses = { waId: `changed-${unique}`, igId: `changed-${unique}` };
		const body = { name: 'Bob', customName: 'Boss', igUsername: 'bob', ...addresses };
		return [{ path: [fresh.id], body }];
	},
	addContactField: ({ fresh }) => [{ path: [fresh.id], body: { label: 'L', value: 'V' } }],
	updateContactField: ({ fresh, field }) => [
		{ path: [fresh.id, field.id], body: { label: 'L', value: 'V' } },
	],
	deleteContactField: ({ fresh, field }) => [{ path: [fresh.id, field.id] }],
	listSegments: () => [{}],
	createSegment: ({ unique }) => {
		const rules = { channel: 'WHATSAPP' };
		return [{ body: { name: `New ${unique}`, description: 'D', isDynamic: true, rules } }];
	},
	getSegment: ({ segment }) => [{ path: [segment.id], query: page }],
	deleteSegment: ({ segment }) => [{ path: [segment.id] }],
	changeSegmentMembers: ({ segment, fresh }) => [
		{ path: [segment.id], body: { action: 'add', contactIds: [fresh.id] } },
	],
	listTemplates: ({ channelId }) => [{ query: { limit: '7', channelId } }],
	createTemplate: ({ unique, channelId }) => [
		{
			body: {
				name: `new_${unique}`,
				category: 'UTILITY',
				language: 'de',
				components: [{ type: 'BODY', text: 'Hello' }],
				allowCategoryChange: true,
				channelId,
			},
		},
	],
	syncTemplates: ({ channelId }) => [{ body: { channelId } }],
	deleteTemplate: ({ template, own, channelId }) => [
		{ path: [template.id], query: { name: template.name } },
		{ path: [own.id], query: { name: own.name, channelId } },
	],
	listBroadcasts: ({ channelId }) => [{ query: { ...page, channelId, status: 'COMPLETED' } }],
	createBroadcast: ({ template, segment, channelId, sendAt }) => {
		const named = { name: 'B', templateName: template.name, templateLanguage: template.language };
		const parameters = [{ ...text('Ann'), parameter_name: 'name' }];
		const templateComponents = [{ type: 'body', parameters }];
		return [
			{
				body: {
					...named,
					channelId,
					templateId: template.id,
					templateCategory: 'MARKETING',
					templateComponents,
					scheduleType: 'now',
					audienceMode: 'list',
					recipients: [NEW_NUMBER],
					apiType: 'marketing_messages',
					ttlSeconds: 86_400,
					messageActivitySharing: true,
				},
			},
			{
				body: {
					...named,
					templateComponents,
					scheduleType: 'schedule',
					sendAt,
					audienceMode: 'segment',
					segmentId: segment.id,
				},
			},
			{ body: { ...named, audienceMode: 'csv' }, file: `phone,name\n${NEW_NUMBER},Ann\n` },
		];
	},
	getBroadcastCsvTemplate: () => [{ query: plain }],
	getBroadcast: ({ broadcast }) => [{ path: [broadcast.id] }],
	listFlows: () => [{}],
	triggerFlow: ({ to, channelId, flow }) => [
		{ body: { to, channelId, flowId: flow.id, flowKeyword: flow.keyword } },
	],
	listTickets: ({ user, contact }) => [
		{ query: { ...page, status: 'OPEN', assigneeId: user, contactId: contact.id } },
	],
	createTicket: ({ contact, to, igId, user, chat }) => [
		{
			body: {
				title: 'T',
				contactId: contact.id,
				contactWaId: to,
				priority: 'HIGH',
				status: 'IN_PROGRESS',
				assigneeId: user,
				description: 'D',
				chatId: chat.id,
			},
		},
		{ body: { title: 'T', contactIgId: igId } },
	],
	getTicket: ({ ticket }) => [{ path: [ticket.id] }],
	updateTicket: ({ ticket, user }) => [
		{ path: [ticket.id], body: { status: 'CLOSED', priority: 'LOW', assigneeId: user } },
	],
	addTicketNote: ({ ticket, user }) => [{ path: [ticket.id], body: { body: 'B', authorId: user } }],
	listChannels: () => [{}],
	getChannel: ({ channelId }) => [{ path: [channelId] }],
	getOrganization: () => [{}],
	listUsers: () => [{}],
};

/** The examples of an operation, with records of this organization. */
export const examplesOf = (world: World, operationId: string): Example[] =>
	examples[operationId]!(recordsOf(world));

/** The request of an example. A place of the path without a value is `x`, which addresses nothing. */
export function configOf(
	{ method, path, acceptsUpload }: Operation,
	example: Example,
): AxiosRequestConfig {
	const places = [...(example.path ?? [])];
	const url = path.replaceAll(/\{\w+\}/g, () => places.shift() ?? 'x');
	const config: AxiosRequestConfig = { method, url, params: example.query, data: example.body };
	if (!acceptsUpload || example.file === undefined) return config;
	const form = new FormData();
	for (const [name, value] of Object.entries(example.body ?? {})) form.append(name, String(value));
	form.append('file', new Blob([example.file]), 'people.csv');
	return { ...config, data: form };
}
