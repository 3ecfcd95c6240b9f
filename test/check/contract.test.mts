import { assumptions } from '../../check/assumptions/index.mts';
import { readContract } from '../../sandbox/contract.mts';

/** Entries that the check does not settle, and why: reading cannot, or no workflow depends on it. */
const NOT_CHECKED: Record<string, string> = {
	'contract: which failures are safe to retry': 'needs a failure of the service',
	'contract: the response to an invalid request on a route that does not list 400 (400 here)':
		'the check sends valid requests',
	'sendMessage: the status of a rejection outside the 24-hour window (400 here)':
		'needs a message to be sent',
	'sendMessage: whether an agent may write in a session that a flow or the AI holds (here it is possible, and changes nothing)':
		'needs a message to be sent',
	'sendMessage: the response to a channelId of another type (400 here)':
		'needs a message to be sent',
	'sendMessage: the response to fields of another message type, and to media by ID and by URL at once (400 here)':
		'needs a message to be sent',
	'contract: whether a rejected request counts for the rate limit (here it does, unless its token is rejected or its path is unknown)':
		'needs the limit to be used up',
	'contract: the response to a body where none is described, and to an upload with several files or with a field twice (400 here)':
		'needs something to be written',
	'sendMessage: the response to a template for Instagram (400 here)': 'needs a message to be sent',
	'sendMessage: whether contextId must be a message of the chat, and agentId a user (here they must)':
		'needs a message to be sent',
	'sendMessage: whether a message to a number without a contact makes one (here an accepted template does)':
		'needs a message to be sent',
	"sendMessage: which template is sent if the channel and the organization have one of this name and language (here the channel's)":
		'needs a message to be sent',
	'getChatSession: the response for a contact without a chat (404 here)':
		'no list shows which contact has no chat',
	'getChatSession: the response to IDs of different contacts (400 here)': 'the nodes send one ID',
	'manageChatSession: how many session credits a call consumes, and the response when none are left':
		'needs a session to be started',
	'manageChatSession: the response to START with an active session, to TAKEOVER or END without one, and to TAKEOVER of a session that a flow or the AI holds (409 here)':
		'needs a session to be started',
	'manageChatSession: the response for a contact without a chat (404 here)':
		'needs a session to be started',
	'manageChatSession: the response to IDs of different contacts, and to an agentId that is not a user (400 here)':
		'needs a session to be started',
	'assignChat: the response to an agentId that is not a user (400 here)': 'needs a change',
	'escalateChat: the auto-assignment rules (here, an unassigned chat is assigned to the agent with the fewest chats)':
		'needs a change',
	'escalateChat: the response for a chat that is escalated already (200 here)': 'needs a change',
	'deEscalateChat: the response for a chat that is not escalated (200 here), and what becomes of the earlier reason (here it is replaced)':
		'needs a change',
	"importContacts: the name and the type of the job's ID":
		'the response to an upload; import-shape shows that of reading it',
	'importContacts: whether the job is directly in data or under a name':
		'the response to an upload; import-shape shows that of reading it',
	'importContacts: the names of the parts': 'needs an upload',
	'importContacts: the response to a file without the column for the name (400 here), and what becomes of a contact that exists (here it is renamed)':
		'needs an upload',
	'addContactField: whether a contact may have two fields with the same label (here it may)':
		'needs a change',
	'createSegment: whether a dynamic segment needs rules (not here)': 'needs a change',
	'createTemplate: the response to a name and language that exist, and to an unknown channel (400 here)':
		'needs a change',
	'syncTemplates: whether templates of channels are synced without channelId (here they are), the response to an unknown channel (400 here)':
		'needs a change',
	'deleteTemplate: the response to an unknown template or channel, and to a template of a channel without channelId (400 here; 404 is not listed)':
		'needs a change',
	'updateContact: whether empty text clears a field': 'needs a change',
	'updateContact: the response if another contact has the new address, or if none is left (409 is not listed)':
		'needs a change',
	'updateContactField: whether a value may be empty': 'needs a change',
	'changeSegmentMembers: whether the members of a dynamic segment can be changed; the sandbox rejects it with 400':
		'needs a change',
	'changeSegmentMembers: the response to an empty list': 'needs a change',
	'changeSegmentMembers: the response to contacts that do not exist (400 here, and no member is changed)':
		'needs a change',
	"createBroadcast: the name and the type of the broadcast's ID":
		'the response to creating one; broadcast-shape shows that of reading it',
	'createBroadcast: whether it is directly in data or under a name':
		'the response to creating one; broadcast-shape shows that of reading it',
	'createBroadcast: the names of the parts': 'needs an upload',
	'createBroadcast: the response to sendAt in the past or without a schedule, and to fields of another audience mode (400 here)':
		'needs a broadcast to be created',
	'createBroadcast: whether templateCategory must be that of the template (not here)':
		'needs a broadcast to be created',
	"createBroadcast: which template is sent if the channel and the organization have one of this name and language (here the channel's)":
		'needs a broadcast to be created',
	'createBroadcast: the columns that a CSV audience needs (here a number, and one for each variable), and whether it may have others (here it may)':
		'needs an upload',
	'getBroadcastCsvTemplate: whether templates of a channel are found (not here)':
		'needs a template of a channel',
	'triggerFlow: how many flow_trigger credits a call consumes, and the response when none are left':
		'needs a flow to be started',
	"triggerFlow: whether a flow replaces an agent's session (not here), and whether a keyword is case-sensitive (here it is)":
		'needs a flow to be started',
	'triggerFlow: the response for a contact without a chat, and to an ID and a keyword of different flows (404 here)':
		'needs a flow to be started',
	'createTicket: the response to a contact, chat or assignee that does not exist (400 here; 404 is not listed)':
		'needs a ticket to be created',
	'createTicket: the response to IDs of different contacts, and to a chat of another contact (400 here)':
		'needs a ticket to be created',
	'createTicket: whether it is a name or an object':
		'what creating accepts; ticket-status shows what reading returns',
	'createTicket: the allowed values':
		'what creating accepts; ticket-status shows what reading returns',
	'createTicket: the status of a ticket that is created without one':
		'needs a ticket to be created',
	'updateTicket: which status may follow which': 'needs changes',
	'updateTicket: the response to an assigneeId that is not a user (400 here)': 'needs changes',
	'addTicketNote: the status 400 is not listed for this route although it has a required field':
		'needs a note to be added',
	'addTicketNote: the response if authorId is not a user': 'needs a note to be added',
	'Text: the response to an empty value; the sandbox rejects it':
		'concerns fields that are written',
	'BroadcastCreate: the response to an empty list': 'needs a broadcast to be created',
	'BroadcastCreate: the response to a text that is not a number (400 here)':
		'needs a broadcast to be created',
	'getChatSession: the status 403 is not listed for this route although it needs a permission':
		'the check reads no session',
	'contract: the fields of returned records, apart from names known from requests and filters':
		'records are returned unchanged; the report lists their keys',
	'listChats: the names of the channel types besides the two that can be filtered by':
		'the nodes send the two',
	'getChannel: the names of the totals': 'returned unchanged',
	'createSegment: the structure of the rules': 'sent as entered',
	'listTemplates: whether templates of a channel are returned without channelId (not here)':
		'the nodes send the channel, if one is selected',
	'BroadcastCreate: the response to settings of the marketing_messages API with the other':
		'needs a broadcast to be created',
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

test.each(entries())('%s: is settled by an assumption, or there is a reason why not', (entry) => {
	expect([entry, settled.has(entry) !== entry in NOT_CHECKED]).toEqual([entry, true]);
});

test('assumptions and reasons name only entries of the contract', () => {
	expect(
		[...settled, ...Object.keys(NOT_CHECKED)].filter((entry) => !entries().includes(entry)),
	).toEqual([]);
});

test('every assumption has an ID of its own, a question and what the package does otherwise', () => {
	expect(new Set(assumptions.map(({ id }) => id)).size).toBe(assumptions.length);
	for (const { id, question, otherwise } of assumptions) {
		expect(id).toMatch(/^[a-z-]+$/);
		expect(question).toMatch(/\?$/);
		expect(otherwise).toMatch(/\.$/);
	}
});
