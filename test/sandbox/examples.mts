import type { AxiosRequestConfig } from 'axios';
import type { World } from '../../sandbox/world.mts';
import { operations, type Operation, type Schema } from '../support/contractOperations.mts';

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

/**
 * Of operations with fields that exclude or need each other, by operationId. Together, the examples of an operation have
 * every field and parameter of it. The others have one example: `exampleOf`.
 */
const EXAMPLES: Record<string, (records: Records) => Example[]> = {
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
	getChatSession: ({ to, igId, contact, channelId }) => [
		{ query: { waId: to, contactId: contact.id, channelId } },
		{ query: { igId } },
	],
	manageChatSession: ({ to, igId, contact, channelId, user }) => [
		{ body: { waId: to, contactId: contact.id, channelId, agentId: user, action: 'START' } },
		{ body: { igId, agentId: user } },
	],
	createContact: ({ unique }) => [
		{ body: { name: 'Ann', waId: `new-${unique}`, igId: `new-${unique}` } },
	],
	importContacts: () => [{ file: `name,waId\nAnn,${NEW_NUMBER}\n` }],
	updateContact: ({ fresh, unique }) => {
		const addresses = { waId: `changed-${unique}`, igId: `changed-${unique}` };
		const body = { name: 'Bob', customName: 'Boss', igUsername: 'bob', ...addresses };
		return [{ path: [fresh.id], body }];
	},
	createSegment: ({ unique }) => {
		const rules = { channel: 'WHATSAPP' };
		return [{ body: { name: `New ${unique}`, description: 'D', isDynamic: true, rules } }];
	},
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
	deleteTemplate: ({ template, own, channelId }) => [
		{ path: [template.id], query: { name: template.name } },
		{ path: [own.id], query: { name: own.name, channelId } },
	],
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
	triggerFlow: ({ to, channelId, flow }) => [
		{ body: { to, channelId, flowId: flow.id, flowKeyword: flow.keyword } },
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
};

/** What is in a place of a path, by the part of the path before it. */
const placesOf = (records: Records): Record<string, string> => ({
	broadcasts: records.broadcast.id,
	channels: records.channelId,
	chats: records.chat.id,
	contacts: records.fresh.id,
	fields: records.field.id,
	imports: records.job.id,
	segments: records.segment.id,
	templates: records.template.id,
	tickets: records.ticket.id,
});

/** Parameters and fields that a record, or more than a text, is meant by. */
const valuesOf = (records: Records): Record<string, unknown> => ({
	page: '1',
	agentId: records.user,
	assigneeId: records.user,
	authorId: records.user,
	channelId: records.channelId,
	contactId: records.contact.id,
	contactIds: [records.fresh.id],
	cursor: records.message,
	segmentId: records.segment.id,
	waId: records.to,
});

/** Every parameter and field that the contract has for an operation. */
function exampleOf({ path, query, body }: Operation, records: Records): Example {
	const places = placesOf(records);
	const values = valuesOf(records);
	const filled = (properties: Record<string, Schema>) =>
		Object.entries(properties).map(([name, schema]): [string, unknown] => [
			name,
			values[name] ?? valueOf(schema),
		]);
	return {
		path: [...path.matchAll(/(\w+)\/\{/g)].map(([, before]) => places[before!] ?? 'x'),
		query: Object.fromEntries(filled(query).map(([name, value]) => [name, String(value)])),
		body: body && Object.fromEntries(filled(body.properties ?? {})),
	};
}

function valueOf({ type, enum: names }: Schema): unknown {
	if (type === 'integer') return 7;
	return type === 'boolean' ? true : (names?.[0] ?? 'x');
}

/** The examples of an operation, with records of this organization. */
export function examplesOf(world: World, operationId: string): Example[] {
	const records = recordsOf(world);
	const operation = operations.find(({ id }) => id === operationId)!;
	return EXAMPLES[operationId]?.(records) ?? [exampleOf(operation, records)];
}

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
