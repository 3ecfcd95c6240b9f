import { assumptions } from '../../check/assumptions/index.mts';
import { readContract } from '../../sandbox/contract.mts';

/** Entries that the check does not settle, by the reason why not. */
const NOT_CHECKED = {
	'reading alone cannot bring it about': [
		'contract: which failures are safe to retry',
		'contract: whether a rejected request counts for the rate limit (here it does, unless its token is rejected or its path is unknown)',
		'getChatSession: the response for a contact without a chat (404 here)',
		'getBroadcastCsvTemplate: whether templates of a channel are found (not here)',
		'getChatSession: the status 403 is not listed for this route although it needs a permission',
		'listChannels: the status 403 is not listed for this route although it needs a permission',
		'getChannel: the status 403 is not listed for this route although it needs a permission',
		'getOrganization: the status 403 is not listed for this route although it needs a permission',
	],
	'the nodes do not depend on it, by what they send': [
		'contract: the response to an invalid request on a route that does not list 400 (400 here)',
		'getChatSession: the response to IDs of different contacts (400 here)',
		'listChats: the names of the channel types besides the two that can be filtered by',
		'createSegment: the structure of the rules',
		'listTemplates: whether templates of a channel are returned without channelId (not here)',
		'listTemplates: how far the number of rows may be from limit',
	],
	'needs something to be written': [
		'sendMessage: the status of a rejection outside the 24-hour window (400 here)',
		'sendMessage: whether an agent may write in a session that a flow or the AI holds (here it is possible, and changes nothing)',
		'sendMessage: the response to a channelId of another type (400 here)',
		'sendMessage: the response to fields of another message type, and to media by ID and by URL at once (400 here)',
		'contract: the response to a body where none is described, and to an upload with several files or with a field twice (400 here)',
		'sendMessage: the response to a template for Instagram (400 here)',
		'sendMessage: whether contextId must be a message of the chat, and agentId a user (here they must)',
		'sendMessage: whether a message to a number without a contact makes one (here an accepted template does)',
		"sendMessage: which template is sent if the channel and the organization have one of this name and language (here the channel's)",
		'manageChatSession: how many session credits a call consumes, and the response when none are left',
		'manageChatSession: the response to START with an active session, to TAKEOVER or END without one, and to TAKEOVER of a session that a flow or the AI holds (409 here)',
		'manageChatSession: the response for a contact without a chat (404 here)',
		'manageChatSession: the response to IDs of different contacts, and to an agentId that is not a user (400 here)',
		'assignChat: the response to an agentId that is not a user (400 here)',
		'escalateChat: the auto-assignment rules (here, an unassigned chat is assigned to the agent with the fewest chats)',
		'escalateChat: the response for a chat that is escalated already (200 here)',
		'deEscalateChat: the response for a chat that is not escalated (200 here), and what becomes of the earlier reason (here it is replaced)',
		'importContacts: the names of the parts',
		'importContacts: the response to a file without the column for the name (400 here), and what becomes of a contact that exists (here it is renamed)',
		'addContactField: whether a contact may have two fields with the same label (here it may)',
		'createSegment: whether a dynamic segment needs rules (not here)',
		'createTemplate: the response to a name and language that exist, and to an unknown channel (400 here)',
		'syncTemplates: whether templates of channels are synced without channelId (here they are), the response to an unknown channel (400 here)',
		'deleteTemplate: the response to an unknown template or channel, and to a template of a channel without channelId (400 here; 404 is not listed)',
		'updateContact: whether empty text clears a field',
		'updateContact: the response if another contact has the new address, or if none is left (409 is not listed)',
		'updateContactField: whether a value may be empty',
		'changeSegmentMembers: whether the members of a dynamic segment can be changed; the sandbox rejects it with 400',
		'changeSegmentMembers: the response to an empty list',
		'changeSegmentMembers: the response to contacts that do not exist (400 here, and no member is changed)',
		'createBroadcast: the names of the parts',
		'createBroadcast: the response to sendAt in the past or without a schedule, and to fields of another audience mode (400 here)',
		'createBroadcast: whether templateCategory must be that of the template (not here)',
		"createBroadcast: which template is sent if the channel and the organization have one of this name and language (here the channel's)",
		'createBroadcast: the columns that a CSV audience needs (here a number, and one for each variable), and whether it may have others (here it may)',
		'triggerFlow: how many flow_trigger credits a call consumes, and the response when none are left',
		"triggerFlow: whether a flow replaces an agent's session (not here), and whether a keyword is case-sensitive (here it is)",
		'triggerFlow: the response for a contact without a chat, and to an ID and a keyword of different flows (404 here)',
		'createTicket: the response to a contact, chat or assignee that does not exist (400 here; 404 is not listed)',
		'createTicket: the response to IDs of different contacts, and to a chat of another contact (400 here)',
		'createTicket: the status of a ticket that is created without one',
		'updateTicket: which status may follow which',
		'updateTicket: the response to an assigneeId that is not a user (400 here)',
		'addTicketNote: the status 400 is not listed for this route although it has a required field',
		'addTicketNote: the response if authorId is not a user',
		'Text: the response to an empty value; the sandbox rejects it',
		'BroadcastCreate: the response to an empty list',
		'BroadcastCreate: the response to a text that is not a number (400 here)',
		'BroadcastCreate: the response to settings of the marketing_messages API with the other',
	],
	'the response to writing; jobs shows that of reading': [
		"importContacts: the name and the type of the job's ID",
		'importContacts: whether the job is directly in data or under a name',
		"createBroadcast: the name and the type of the broadcast's ID",
		'createBroadcast: whether it is directly in data or under a name',
	],
	'what creating accepts; ticket-status shows what reading returns': [
		'createTicket: whether it is a name or an object',
		'createTicket: the allowed values',
	],
	'returned unchanged; the report lists the keys of lists': [
		'contract: the fields of returned records, apart from names known from requests and filters',
		'getChannel: the names of the totals',
		'getBroadcast: the names of the statistics',
		'getContactImport: the names of the counters',
	],
};

/** Every entry of `x-undocumented`, with the operation or schema that it belongs to. */
function entries(): string[] {
	const contract = readContract();
	const found = new Set<string>();
	const visit = (value: unknown, owner: string): void => {
		if (Array.isArray(value)) for (const entry of value) visit(entry, owner);
		else if (typeof value === 'object' && value !== null) {
			const name = (value as { operationId?: string }).operationId ?? owner;
			for (const [key, inner] of Object.entries(value)) {
				if (key === 'x-undocumented')
					for (const entry of inner as unknown[]) found.add(`${name}: ${String(entry)}`);
				else visit(inner, name);
			}
		}
	};
	const { components, ...rest } = contract as {
		components: Record<string, Record<string, unknown>>;
	};
	visit(rest, 'contract');
	for (const [kind, parts] of Object.entries(components))
		for (const [name, part] of Object.entries(parts))
			visit(part, kind === 'schemas' ? name : `${kind} ${name}`);
	return [...found];
}

const settled = new Set(assumptions.flatMap(({ settles }) => settles));
const notChecked = Object.values(NOT_CHECKED).flat();

test.each(entries())('%s: is settled by an assumption, or there is a reason why not', (entry) => {
	expect([entry, settled.has(entry) !== notChecked.includes(entry)]).toEqual([entry, true]);
});

test('assumptions and reasons name only entries of the contract', () => {
	expect([...settled, ...notChecked].filter((entry) => !entries().includes(entry))).toEqual([]);
});

test('every assumption has an ID of its own, a question and what the package does otherwise', () => {
	expect(new Set(assumptions.map(({ id }) => id)).size).toBe(20);
	for (const { id, question, otherwise } of assumptions) {
		expect(id).toMatch(/^[a-z-]+$/);
		expect(question).toMatch(/\?$/);
		expect(otherwise).toMatch(/\.$/);
	}
});
