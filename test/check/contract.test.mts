import { assumptions } from '../../check/assumptions/index.mts';
import { readContract } from '../../sandbox/contract.mts';

/** Entries that reading cannot settle, and why. */
const NEEDS_MORE: Record<string, string> = {
	'contract: which failures are safe to retry': 'needs a failure of the service',
	'sendMessage: the status of a rejection outside the 24-hour window (400 here)':
		'needs a message to be sent',
	'sendMessage: whether an agent may write in a session that a flow or the AI holds (here it is possible, and changes nothing)':
		'needs a message to be sent',
	'sendMessage: the response to a channelId of another type (400 here)':
		'needs a message to be sent',
	'manageChatSession: how many session credits a call consumes, and the response when none are left':
		'needs a session to be started',
	'manageChatSession: the response to START with an active session, to TAKEOVER or END without one, and to TAKEOVER of a session that a flow or the AI holds (409 here)':
		'needs a session to be started',
	"importContacts: the name and the type of the job's ID":
		'the response to an upload; import-shape shows that of reading it',
	'importContacts: whether the job is directly in data or under a name':
		'the response to an upload; import-shape shows that of reading it',
	'importContacts: the names of the parts': 'needs an upload',
	'updateContact: whether empty text clears a field': 'needs a change',
	'updateContact: the response if another contact has the new address, or if none is left (409 is not listed)':
		'needs a change',
	'updateContactField: whether a value may be empty': 'needs a change',
	'changeSegmentMembers: whether the members of a dynamic segment can be changed; the sandbox rejects it with 400':
		'needs a change',
	'changeSegmentMembers: the response to an empty list': 'needs a change',
	"createBroadcast: the name and the type of the broadcast's ID":
		'the response to creating one; broadcast-shape shows that of reading it',
	'createBroadcast: whether it is directly in data or under a name':
		'the response to creating one; broadcast-shape shows that of reading it',
	'createBroadcast: the names of the parts': 'needs an upload',
	'triggerFlow: how many flow_trigger credits a call consumes, and the response when none are left':
		'needs a flow to be started',
	"triggerFlow: whether a flow replaces an agent's session (not here), and whether a keyword is case-sensitive (here it is)":
		'needs a flow to be started',
	'createTicket: whether it is a name or an object':
		'what creating accepts; ticket-status shows what reading returns',
	'createTicket: the allowed values':
		'what creating accepts; ticket-status shows what reading returns',
	'createTicket: the status of a ticket that is created without one':
		'needs a ticket to be created',
	'updateTicket: which status may follow which': 'needs changes',
	'addTicketNote: the status 400 is not listed for this route although it has a required field':
		'needs a note to be added',
	'addTicketNote: the response if authorId is not a user': 'needs a note to be added',
	'Text: the response to an empty value; the sandbox rejects it':
		'concerns fields that are written',
	'BroadcastCreate: the response to an empty list': 'needs a broadcast to be created',
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

test.each(entries())(
	'%s: is settled by an assumption, or there is a reason why reading cannot',
	(entry) => {
		expect([entry, settled.has(entry) !== entry in NEEDS_MORE]).toEqual([entry, true]);
	},
);

test('assumptions and reasons name only entries of the contract', () => {
	expect(
		[...settled, ...Object.keys(NEEDS_MORE)].filter((entry) => !entries().includes(entry)),
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
