import type { INodeParameters } from 'n8n-workflow';
import type { WorkflowFile } from '../engine/workflows.mts';
import type { World } from '../../sandbox/world.mts';

/** Whom the workflows ask for a decision: a contact of the sandbox who wrote within the last day. */
export const COLLEAGUE = '12015550100';

/** The data tables that the workflows need in n8n: their rows by their names. All columns are text. */
export const DATA_TABLES = {
	Orders: [
		{ number: '100234', phone: COLLEAGUE, status: 'shipped, it arrives tomorrow' },
		{ number: '100235', phone: '12015550199', status: 'paid' },
	],
};

/** What somebody enters in the nodes of a workflow: parameters by the name of the node. */
type Entries = Record<string, INodeParameters>;

/**
 * A workflow with its blanks filled in, as its yellow note asks: the records are those of the sandbox.
 *
 * @param name of its file, e.g. "opt-out.json"
 */
export function fillIn(name: string, file: WorkflowFile, world: World): WorkflowFile {
	const entries = ENTRIES[name]?.(world) ?? {};
	const unknown = Object.keys(entries).find(
		(node) => !file.nodes.some((each) => each.name === node),
	);
	if (unknown !== undefined) throw new Error(`${name} has no node ${unknown}`);
	const nodes = file.nodes.map((node) => {
		const entered = entries[node.name];
		if (!entered) return node;
		const options = { ...(node.parameters.options as object), ...(entered.options as object) };
		return { ...node, parameters: { ...node.parameters, ...entered, options } };
	});
	return { ...file, nodes };
}

/** The name of a contact, who may have none. */
const NAME = "={{ $json.name || 'customer' }}";

const ENTRIES: Record<string, (world: World) => Entries> = {
	'ab-test.json': (world) => ({
		Members: { segmentId: segment(world, 'Newsletter') },
		'Broadcast A': springSale(world),
		'Broadcast B': ownTemplate(world, 'spring_sale_short', 'Everything is {{1}} off.', ['20%']),
	}),
	'birthdays.json': (world) => ({
		'Opted Out': { segmentId: optedOut(world) },
		Congratulate: {
			...ownTemplate(world, 'birthday', 'Happy birthday, {{1}}!', [NAME]),
			agentId: agent(world),
		},
	}),
	'broadcast-in-waves.json': (world) => ({
		Members: { segmentId: segment(world, 'Newsletter') },
		Waves: { batchSize: 150 },
		Preview: { ...springSale(world), options: excluding(segment(world, 'Returning customers')) },
	}),
	'broadcast-preview.json': (world) => ({
		Preview: {
			...springSale(world),
			segmentId: segment(world, 'Newsletter'),
			options: excluding(segment(world, 'Returning customers')),
		},
		'Ask Marketing': { to: contact(world), agentId: agent(world) },
	}),
	'broadcast-to-segment.json': (world) => ({
		Broadcast: { ...springSale(world), segmentId: segment(world, 'Newsletter') },
	}),
	'contact-sync.json': () => ({ 'Sync Contacts': { dryRun: false } }),
	'lead-form.json': (world) => ({
		'Save Lead': {
			segmentId: segment(world, 'Leads'),
			options: { countryOfNumbers: picked('US', 'United States') },
		},
		'Ask Sales': { to: contact(world), agentId: agent(world) },
		Welcome: {
			...template(world, 'welcome', { 'body:name': "={{ $('Lead').item.json.name }}" }),
			agentId: agent(world),
		},
	}),
	'order-status.json': (world) => ({ Reply: { agentId: agent(world) } }),
	'opt-out.json': (world) => ({
		'Add to Segment': { segmentId: optedOut(world) },
		Confirm: { agentId: agent(world) },
	}),
	'reminders.json': (world) => ({
		Remind: {
			...ownTemplate(world, 'appointment', 'Hello {{1}}, see you on {{2}} at {{3}}.', [
				'={{ $json.name }}',
				'={{ $json.date }}',
				'={{ $json.time }}',
			]),
			agentId: agent(world),
		},
	}),
	'survey.json': (world) => ({
		Ask: ownTemplate(world, 'survey', 'Hello {{1}}, how did it go? {{2}}', [NAME, '[link]']),
	}),
	'ticket-confirmation.json': (world) => ({
		Ask: ticketUpdate(
			world,
			"$('Tickets and Messages').item.json.record.ticketNumber",
			'resolved. Is everything solved? Please reply yes or no',
		),
	}),
	'ticket-routing.json': (world) => ({
		'Message on WhatsApp': ticketUpdate(
			world,
			"$('Urgent With a Contact').item.json.ticketNumber",
			'in progress',
		),
	}),
	'ticket-status-to-customer.json': (world) => ({
		'Message on WhatsApp': ticketUpdate(
			world,
			"$('Ticket Status Changed').item.json.record.ticketNumber",
			"={{ $('Ticket Status Changed').item.json.status.replace('_', ' ').toLowerCase() }}",
		),
	}),
	'unanswered-chats.json': (world) => ({ Assign: { agentId: agent(world) } }),
	'weekly-cap.json': (world) => ({
		Members: { segmentId: segment(world, 'Newsletter') },
		Broadcast: {
			...springSale(world),
			options: excluding(
				segment(world, 'Messaged this week'),
				segment(world, 'Returning customers'),
			),
		},
		'Messaged This Week': { segmentId: segment(world, 'Messaged this week') },
	}),
	'whatsapp-agent.json': (world) => ({
		Reply: { agentId: agent(world) },
		'Ask a Colleague': { to: contact(world), agentId: agent(world) },
	}),
};

/** A record as the editor saves it after it was picked from the list. */
const picked = (value = '', cachedResultName = ''): INodeParameters => ({
	__rl: true,
	mode: 'list',
	value,
	cachedResultName,
});

/** A segment, created in the service if it does not exist. */
function segment(world: World, name: string, members: string[] = []): INodeParameters {
	const found = world.segments.find((each) => each.name === name);
	const { id } =
		found ??
		world.segments.add({
			id: world.newId(),
			name,
			description: null,
			isDynamic: false,
			rules: null,
			members: new Set(members),
			createdAt: new Date(world.now()).toISOString(),
		});
	return picked(id, name);
}

/** The segment of customers who opted out, with one of the newsletter's members: a broadcast that excludes it shows one. */
function optedOut(world: World): INodeParameters {
	const contact = world.findContactByWaId('12045550100');
	return segment(world, 'Opted out', contact ? [contact.id] : []);
}

/** The option of a broadcast that leaves out the members of these segments. */
const excluding = (...segments: INodeParameters[]): INodeParameters => ({
	excludeSegments: { segment: segments.map((segmentId) => ({ segmentId })) },
});

/** The agent who has the colleague's session, so that the colleague can be asked. */
function agent(world: World): INodeParameters {
	const chat = world.chatOf(world.findContactByWaId(COLLEAGUE)?.id ?? '');
	const user = world.users.get(chat?.session?.agentId ?? '');
	return picked(user?.id, user?.name);
}

const contact = (world: World): INodeParameters =>
	picked(COLLEAGUE, world.findContactByWaId(COLLEAGUE)?.name);

const springSale = (world: World): INodeParameters =>
	template(world, 'spring_sale', {
		'header:image': 'https://cdn.example.com/spring.png',
		'body:1': 'there',
		'body:2': '20%',
		'button:0:url': 'spring',
	});

/** @param number the expression for the ticket's number */
const ticketUpdate = (world: World, number: string, status: string): INodeParameters =>
	template(world, 'ticket_update', {
		'body:1': NAME,
		'body:2': `={{ ${number} }}`,
		'body:3': status,
	});

/** A template that is created in the service if it does not exist. @param values of its variables, in their order */
function ownTemplate(world: World, name: string, text: string, values: string[]): INodeParameters {
	if (!world.templates.find((each) => each.name === name))
		world.templates.add({
			id: world.newId(),
			name,
			category: 'UTILITY',
			language: 'en_US',
			components: [{ type: 'BODY', text }],
			channelId: null,
			status: 'APPROVED',
			decision: 'APPROVED',
			createdAt: new Date(world.now()).toISOString(),
		});
	const variables = values.map((value, i) => [`body:${i + 1}`, value]);
	return template(world, name, Object.fromEntries(variables) as Record<string, string>);
}

/** A template that was picked from the list, with its variables filled in. */
function template(world: World, name: string, value: Record<string, string>): INodeParameters {
	const { id = '', language = '' } = world.templates.find((each) => each.name === name) ?? {};
	const schema = Object.keys(value).map((variable) => ({
		id: variable,
		displayName: variable,
		required: true,
		defaultMatch: false,
		display: true,
		type: 'string',
	}));
	return {
		templateId: picked(`${id} ${name} ${language}`, name),
		templateVariables: { mappingMode: 'defineBelow', value, schema },
	};
}
