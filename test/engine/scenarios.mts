import type { IDataObject, INodeParameters, NodeParameterValueType } from 'n8n-workflow';
import { iso } from '../../sandbox/clock.mts';
import type { Contact } from '../../sandbox/records.mts';
import { reservedPhone } from '../../sandbox/seed.mts';
import type { World } from '../../sandbox/world.mts';
import { addImportJob, addSegment, addTemplate } from '../support/records.mts';
import { byId, WELCOME_COMPONENTS } from './harness.mts';

/** A successful run of one operation, which makes every request that the operation can make. */
export interface Scenario {
	resource: string;
	operation: string;
	/** What distinguishes it from other scenarios of its operation. */
	variant?: string;
	parameters: INodeParameters;
	/** Creates records that the run uses up, and returns what its item contains in addition to `people`. */
	make?: (world: World, n: number) => IDataObject;
	/** Routes of additional requests: if they are rejected, the main request is still sent, or still counts. */
	optional?: string[];
	/** Faults of a request that the operation understands as something else, by the request: "GET /chats, again". */
	tolerates?: Record<string, string[]>;
	/** Whether the operation works on one item only. */
	oneItem?: boolean;
	/** The length of a page, if its lists are so long that they would have more than several pages of two. */
	pageCap?: number;
	/** How often an item may write to a route, if a response requires more requests than a run without faults. */
	most?: Record<string, number>;
}

/** A sandbox of this size has every list on several pages of two. */
const SMALL_WORLD = { contacts: 12, tickets: 5, pageCap: 2 };

/** The sandbox for a scenario. */
export const worldOf = ({ pageCap = SMALL_WORLD.pageCap }: Scenario) => ({
	...SMALL_WORLD,
	pageCap,
});

export const nameOf = ({ resource, operation, variant }: Scenario): string =>
	[`${resource}: ${operation}`, variant].filter(Boolean).join(', ');

/** The variables of a template as fields. */
const variables = (name: string): NodeParameterValueType => ({
	mappingMode: 'defineBelow',
	value: { 'body:name': name },
	schema: [{ id: 'body:name', displayName: 'Body {{name}}', required: true }],
});
/** The same as JSON, with the link to respond. */
const LINK_COMPONENTS = WELCOME_COMPONENTS.replace('Nathan', '[link]');

/** Contacts in the order in which they were seeded: see seed.mts for who has a session, and who wrote when. */
const seeded = (world: World, index: number): Contact =>
	[...world.contacts.newestFirst()].at(-1 - index) as Contact;

const phoneOf = (n: number): string => reservedPhone(5_000 + n) as string;

/** The data of every item. Consecutive items share only agent, flow and channel. */
export function people(world: World, n: number): IDataObject {
	const open = seeded(world, n % 2 === 0 ? 1 : 4);
	const held = seeded(world, n % 2 === 0 ? 0 : 3);
	const late = seeded(world, n % 2 === 0 ? 2 : 5);
	const chat = world.chatOf(open.id);
	const heldChat = world.chatOf(held.id);
	if (chat) chat.session = null;
	const [holder, other] = [...world.users.newestFirst()];
	if (heldChat)
		heldChat.session = {
			id: world.newId(),
			agentId: holder?.id ?? null,
			kind: 'AGENT',
			startedAt: iso(world.now()),
		};
	return {
		n,
		name: `Person ${n}`,
		phone: phoneOf(n),
		newWaId: phoneOf(n),
		contactId: open.id,
		waId: open.waId,
		chatId: chat?.id,
		heldId: held.id,
		lateWaId: late.waId,
		historyChatId: world.chatOf(seeded(world, 0).id)?.id,
		agentId: other?.id,
		channelId: world.defaultChannel('WHATSAPP')?.id,
		flowId: world.flows.find(({ active }) => active)?.id,
		ticketId: String(1001 + (n % 2)),
		template: formatTemplateKey(world, 'welcome'),
		templateId: formatTemplateKey(world, 'welcome').split(' ')[0],
	};
}

function formatTemplateKey(world: World, wanted: string): string {
	const found = world.templates.find(
		({ name, language }) => name === wanted && language === 'en_US',
	);
	return `${found?.id ?? ''} ${wanted} en_US`;
}

const segment = (world: World, n: number): IDataObject => {
	const members = [1, 3, 4, 5, 6].map((index) => seeded(world, index).id);
	const { id } = addSegment(world, members);
	return { segmentId: id, newcomer: seeded(world, n % 2 === 0 ? 0 : 2).id };
};

const twoSegments = (world: World, n: number): IDataObject => {
	const { segmentId } = segment(world, n);
	const excluded = segment(world, n).segmentId as string;
	const members = world.segments.get(excluded)?.members;
	for (const member of [...(members ?? [])].slice(2)) members?.delete(member);
	return { segmentId, excludedId: excluded };
};

const template = (world: World, n: number): IDataObject => {
	const { id, name } = addTemplate(world, { id: `77${n}`, name: `used_up_${n}` });
	return { usedUpId: id, usedUpName: name };
};

const field = (world: World, n: number): IDataObject => {
	const id = world.newId();
	const contact = seeded(world, n % 2 === 0 ? 1 : 4);
	contact.customFields = [{ id, label: 'city', value: 'Bonn' }];
	return { fieldId: id };
};

const importJob = (world: World): IDataObject => {
	const failedRows = [{ row: 2, name: '', waId: '1', igId: '', reason: 'name is missing' }];
	return { importId: addImportJob(world, { total: 1, failedRows }).id };
};

const broadcast = (world: World): IDataObject => {
	const id = world.newId();
	world.broadcasts.add({
		id,
		name: 'Broadcast',
		channelId: null,
		templateId: '1',
		templateName: 'welcome',
		templateLanguage: 'en_US',
		audienceMode: 'list',
		recipients: [phoneOf(1)],
		scheduleType: 'now',
		startsAt: world.now(),
		cancelled: false,
		settings: {},
		createdAt: iso(world.now()),
	});
	return { broadcastId: id };
};

/** How many contacts there are besides the seeded ones: each run of a sync reads them all. */
const SYNCED = 4;

/** With it, they are on four pages instead of ten. */
const SYNC_PAGE = 5;

/** Removes what earlier runs left, so that lists have the same length for every run. */
const tidy = (world: World): IDataObject => {
	const contacts = [...world.contacts.newestFirst()];
	const seededCount = SMALL_WORLD.contacts + 3;
	for (const contact of contacts.slice(SYNCED, -seededCount)) {
		world.changeContact(contact, { waId: null, igId: null });
		world.contacts.delete(contact.id);
	}
	while (world.contacts.size < SYNCED + seededCount) world.addContact({ name: 'Other' });
	return {};
};

/** A contact of its own for each item, since two items for one contact are a conflict. */
const synced = (world: World, n: number): IDataObject => {
	tidy(world);
	const { waId, customFields } = world.addContact({ name: 'Before', waId: phoneOf(40_000 + n) });
	customFields.push({ id: world.newId(), label: 'city', value: 'Bonn' });
	// One segment for all items of a run: they are synced together.
	const own = world.segments.find(({ name }) => name === 'Returning customers');
	own?.members.clear();
	return { syncedWaId: waId, segmentOfAll: own?.id };
};

const id = (name: string) => byId(`={{ $json.${name} }}`);
const value = (name: string) => `={{ $json.${name} }}`;

const textMessage: INodeParameters = {
	to: id('waId'),
	type: 'text',
	text: 'T',
	agentId: id('agentId'),
};

const welcome: INodeParameters = {
	templateId: id('template'),
	templateVariables: variables('Nathan'),
};
const sale: INodeParameters = { name: 'B', ...welcome };
const toSegment: INodeParameters = { ...sale, segmentId: id('segmentId') };
const toAllItems: INodeParameters = { ...sale, audience: 'items', recipient: value('phone') };
const toCsv = (audience: string): INodeParameters => ({ ...sale, audience, templateVariables: {} });
const byTemplateId: INodeParameters = { ...welcome, templateId: id('templateId') };
const wait = { waitForCompletionMinutes: 1 };
/** A wait for a job: if its look-ups fail, it counts as created. Within a minute, each is sent three times. */
const lookedUp = (route: string) => ({ optional: [route], most: { [route]: 30 } });
const all = { returnAll: true };
const toItems = { output: 'items' };

/**
 * What means that no contact has a number. The look-up is for another form of it, which a service may reject as such. A 404
 * whose JSON is cut is still a 404.
 */
const UNKNOWN = {
	'PATCH /contacts/{id}': ['404', '409'],
	'GET /contacts/{id}': ['400', '403', '404', '409', '422', '200 with cut JSON'],
};

const of = (
	resource: string,
	operation: string,
	parameters: INodeParameters = {},
	rest: Omit<Scenario, 'resource' | 'operation' | 'parameters'> = {},
): Scenario => ({ resource, operation, parameters, ...rest });

/** Every operation at least once, and again for each of its variants. */
export const scenarios: Scenario[] = [
	of('broadcast', 'create', toSegment, { make: segment }),
	of(
		'broadcast',
		'create',
		{
			name: 'B',
			...byTemplateId,
			audience: 'list',
			recipients: value('phone'),
			options: { ...wait },
		},
		{
			variant: 'of a template by its ID, waiting for completion',
			...lookedUp('GET /broadcasts/{id}'),
		},
	),
	of('broadcast', 'create', toAllItems, { variant: 'to all items' }),
	of('broadcast', 'create', toCsv('csvItems'), { variant: 'to all items as CSV' }),
	of('broadcast', 'create', toCsv('csv'), { variant: 'to a CSV file' }),
	of(
		'broadcast',
		'create',
		{
			...toSegment,
			options: {
				excludeSegments: { segment: [{ segmentId: id('excludedId') }] },
				maxRecipients: 100,
			},
		},
		{ variant: 'to a segment without the members of another', make: twoSegments },
	),
	of('broadcast', 'downloadCsvTemplate', { templateId: id('template') }),
	of(
		'broadcast',
		'downloadCsvTemplate',
		{ templateId: id('template'), ...toItems },
		{ variant: 'as items' },
	),
	of(
		'broadcast',
		'get',
		{ broadcastId: id('broadcastId'), options: { ...wait } },
		{ make: broadcast, ...lookedUp('GET /broadcasts/{id}') },
	),
	of('broadcast', 'getAll', all, {
		make: (world) => (world.broadcasts.size < 5 ? broadcast(world) : {}),
	}),
	of('broadcast', 'preview', toSegment, { make: segment }),
	of('broadcast', 'preview', toCsv('csv'), { variant: 'to a CSV file' }),
	of('channel', 'get', { channelId: id('channelId') }),
	of('channel', 'getAll', all),
	of('chat', 'assign', { chatId: id('chatId'), agentId: id('agentId') }),
	of('chat', 'deescalate', { chatId: id('chatId') }),
	of('chat', 'escalate', { chatId: id('chatId'), reason: 'R' }),
	of('chat', 'get', { chatId: id('chatId') }),
	of('chat', 'getAll', all),
	of(
		'chat',
		'getMessages',
		{ chatId: id('historyChatId'), limit: 6 },
		// After the end of a history.
		{ tolerates: { 'GET /chats/{id}/messages, again': ['404'] } },
	),
	of('chat', 'unassign', { chatId: id('chatId') }),
	of('contact', 'create', { name: value('name'), waId: value('newWaId') }),
	of(
		'contact',
		'upsert',
		{ name: value('name'), waId: value('newWaId'), additionalFields: { customName: 'C' } },
		{
			variant: 'who is new, with details',
			// Each number without a plus and with one, before the contact is created and after a 409.
			most: { 'PATCH /contacts/{id}': 4 },
			tolerates: UNKNOWN,
		},
	),
	of(
		'contact',
		'upsert',
		{ name: value('name'), waId: value('waId') },
		{
			variant: 'who is known',
			most: { 'PATCH /contacts/{id}': 4, 'POST /contacts': 1 },
			tolerates: UNKNOWN,
		},
	),
	of('contact', 'export'),
	of('contact', 'export', toItems, { variant: 'as items' }),
	of('contact', 'get', { contactId: id('contactId') }),
	of('contact', 'getAll', all),
	of(
		'contact',
		'sync',
		{
			waId: value('syncedWaId'),
			// For another Match By.
			keyValue: value('syncedWaId'),
			name: value('name'),
			additionalFields: { customName: 'C' },
			customFields: {
				field: [
					{ label: 'city', value: 'V' },
					{ label: 'new', value: 'V' },
				],
			},
			segmentId: id('segmentOfAll'),
		},
		{
			variant: 'who are known',
			make: synced,
			pageCap: SYNC_PAGE,
			// The item keeps its result, and says that its contact is not in the segment.
			optional: ['PUT /segments/{id}/members'],
			// A contact that the list does not show is created, which the service rejects.
			most: { 'POST /contacts': 1 },
		},
	),
	of(
		'contact',
		'sync',
		{ waId: value('newWaId'), name: value('name'), additionalFields: { customName: 'C' } },
		{
			variant: 'who are new',
			make: tidy,
			pageCap: SYNC_PAGE,
			most: { 'POST /contacts': 1, 'PATCH /contacts/{id}': 1 },
		},
	),
	of('contact', 'update', { contactId: id('contactId'), updateFields: { name: value('name') } }),
	of('contactField', 'add', { contactId: id('contactId'), label: 'L', value: 'V' }),
	of(
		'contactField',
		'delete',
		{ contactId: id('contactId'), fieldId: value('fieldId') },
		{ make: field },
	),
	of(
		'contactField',
		'set',
		{ contactId: id('contactId'), label: 'city', value: 'V' },
		{ make: field, variant: 'that is there' },
	),
	of(
		'contactField',
		'set',
		{ contactId: id('contactId'), label: 'new', value: 'V' },
		{ make: field, variant: 'that is new' },
	),
	of(
		'contactField',
		'update',
		{ contactId: id('contactId'), fieldId: value('fieldId'), updateFields: { value: 'V' } },
		{ make: field },
	),
	of('contactImport', 'downloadTemplate'),
	of('contactImport', 'downloadTemplate', toItems, { variant: 'as items' }),
	of(
		'contactImport',
		'get',
		{ importId: id('importId'), options: { ...wait } },
		{ make: importJob, ...lookedUp('GET /contacts/imports/{id}') },
	),
	of('contactImport', 'getFailedRows', { importId: id('importId') }, { make: importJob }),
	of(
		'contactImport',
		'getFailedRows',
		{ importId: id('importId'), ...toItems },
		{ variant: 'as items', make: importJob },
	),
	of('contactImport', 'getAll', all, { make: importJob }),
	of('contactImport', 'start', {}),
	of(
		'contactImport',
		'start',
		{ source: 'items', options: { ...wait } },
		{
			variant: 'of all items, waiting for completion',
			...lookedUp('GET /contacts/imports/{id}'),
			optional: ['GET /contacts/imports/{id}', 'GET /contacts/import-template'],
		},
	),
	of(
		'contactImport',
		'start',
		{ options: { ...wait, returnFailedRows: true } },
		{
			variant: 'returning failed rows',
			...lookedUp('GET /contacts/imports/{id}'),
			optional: ['GET /contacts/imports/{id}', 'GET /contacts/imports/{id}/errors'],
		},
	),
	of('flow', 'getAll', all),
	of('flow', 'trigger', { to: id('waId'), flowId: id('flowId') }),
	of('message', 'send', textMessage),
	of(
		'message',
		'send',
		{ to: id('waId'), type: 'template', ...byTemplateId, agentId: id('agentId') },
		{ variant: 'a template by its ID' },
	),
	of(
		'message',
		'send',
		{
			...textMessage,
			to: id('lateWaId'),
			options: {
				takeOver: true,
				templateId: id('templateId'),
				fallbackVariables: { variable: [{ id: 'body:name', value: 'Nathan' }] },
			},
		},
		{ variant: 'that comes too late, with a fallback' },
	),
	of(
		'message',
		'send',
		{ ...textMessage, options: { waitForReplyMinutes: 1 } },
		{ variant: 'waiting for a reply', optional: ['GET /chats', 'GET /chats/{id}/messages'] },
	),
	of(
		'message',
		'send',
		{
			...textMessage,
			// A key that no other run has.
			options: { sendOnceKey: '={{ Math.random() }}' },
		},
		{ variant: 'once per key' },
	),
	of(
		'message',
		'sendAndWait',
		{
			to: id('waId'),
			message: 'M',
			formFields: { values: [{ fieldLabel: 'Reason' }] },
			agentId: id('agentId'),
			templateVariables: variables('[link]'),
			options: {
				templateComponents: LINK_COMPONENTS,
				templateId: id('templateId'),
				fallbackVariables: { variable: [{ id: 'body:name', value: '[link]' }] },
			},
		},
		{ oneItem: true },
	),
	of('organization', 'get'),
	of(
		'segment',
		'addContacts',
		{ segmentId: id('segmentId'), contactId: id('newcomer') },
		{ make: segment },
	),
	of('segment', 'create', { name: value('name') }),
	of('segment', 'delete', { segmentId: id('segmentId') }, { make: segment }),
	of('segment', 'get', { segmentId: id('segmentId'), ...all }, { make: segment }),
	of('segment', 'getAll', all),
	of(
		'segment',
		'removeContacts',
		{ segmentId: id('segmentId'), contactId: id('contactId') },
		{ make: segment },
	),
	of('session', 'end', { contactId: id('heldId') }),
	of('session', 'get', { contactId: id('contactId') }),
	of('session', 'start', { contactId: id('contactId'), agentId: id('agentId') }),
	of('session', 'takeOver', { contactId: id('heldId'), agentId: id('agentId') }),
	of('template', 'create', {
		name: '=t_{{ $json.n }}',
		body: 'Hello {{1}}',
		bodyExamples: { example: [{ variable: '1', value: 'Ada' }] },
	}),
	of(
		'template',
		'delete',
		{ templateId: id('usedUpId'), templateName: value('usedUpName') },
		{ make: template },
	),
	of('template', 'getAll', all),
	of('template', 'sync'),
	of('ticket', 'addNote', { ticketId: id('ticketId'), body: 'B' }),
	of('ticket', 'create', { title: 'T', contactId: id('contactId') }),
	of('ticket', 'get', { ticketId: id('ticketId') }),
	of('ticket', 'getAll', all),
	of('ticket', 'update', { ticketId: id('ticketId'), updateFields: { status: 'OPEN' } }),
	of('user', 'getAll', all),
];
