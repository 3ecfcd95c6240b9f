import { startOther } from './otherService.mts';
import { check, type Run } from './harness.mts';
import { TOKEN, type PlainService } from './plainService.mts';

let service: PlainService;
let run: Run;
beforeAll(async () => {
	service = await startOther();
	run = await check(service.baseUrl, TOKEN);
});
afterAll(async () => await service.close());

/** The truth about the service, written from its code: the verdict, what goes wrong, and words of what was seen. */
const TRUTH: [id: string, verdict: string, affected: string[], ...seen: string[]][] = [
	[
		'list-place',
		'does not hold',
		['Flow → Get Many'],
		'GET /tickets: under items',
		'GET /chats: under conversations',
		'GET /contacts/imports: under jobs',
		'GET /flows: no rows found',
		'GET /users: no permission (403)',
	],
	[
		'record-ids',
		'does not hold',
		['From List (imports)', 'Trigger: Import Job Status Changed', 'From List (templates)'],
		'GET /contacts/imports: 3 of 3 without; keys: importId, state',
		'GET /templates: 3 of 3 without; keys: key, name',
	],
	[
		'list-length',
		'does not hold',
		['Contact → Get Many', 'Contact → Sync'],
		'GET /tickets: at most 40 rows per page, documented 200',
		'GET /chats: no total',
		'GET /contacts: 400 for limit=200, which the nodes send',
	],
	['paging', 'holds', [], 'GET /tickets: continued', 'GET /contacts: continued'],
	[
		'list-order',
		'holds',
		[],
		'GET /tickets: by modified_at, newest first',
		'GET /chats: by last_message_at, newest first',
	],
	[
		'not-found',
		'does not hold',
		['Trigger: Ticket Status Changed', 'Trigger: Chat Escalation Changed'],
		'400, other key (text), other key (number), no message is found',
	],
	[
		'ticket-status',
		'does not hold',
		['Trigger: Ticket Status Changed', 'Ticket → Get Many with Status'],
		'OPEN, other word\none of them is not documented',
		'with another status',
	],
	[
		'ticket-number',
		'does not hold',
		['Ticket → Get with a ticket number'],
		'number (text)\nreading a ticket by it does not return it (400)',
	],
	[
		'chat-contact',
		'does not hold',
		['Trigger: Chat Escalation Changed', 'Trigger: Message Received'],
		'12 of 12 chats without\nkeys of a chat: id, channel, customer.phone',
	],
	['chat-activity', 'holds', [], 'in message_count\ncompared in 3 chats'],
	[
		'chat-escalation',
		'does not hold',
		['Chat → Get Many with Needs Escalation', 'Trigger: Chat Escalation Changed'],
		'both return 12 of the chats',
	],
	[
		'message-keys',
		'does not hold',
		['Message → Send with Wait for Reply', 'Trigger: Message Received'],
		'0 from customers, 0 from others, 29 unclear\n0 of 29 with a time\nkeys of a message: id, sender, ts',
	],
	[
		'message-pages',
		'does not hold',
		['Chat → Get Messages', 'Trigger: Message Received'],
		'no chat with several messages was read whose times',
		'400 for the ID of a message as the cursor',
		'keys beside the messages: next_cursor',
	],
	[
		'jobs',
		'does not hold',
		['Wait for Completion of imports'],
		'GET /contacts/imports/{id}: under importJob',
		'NEW, other word; not understood: other word',
		'GET /broadcasts: the list is empty',
	],
	[
		'contact-shape',
		'cannot tell',
		[],
		'under contact\nno custom fields were recognized\nkeys of the contact: id, name, waId, created, attributes',
	],
	[
		'contact-number',
		'does not hold',
		[
			'Contact → Create or Update',
			'Contact → Get',
			'Contact → Sync',
			'Contact → Update',
			'Contact Field → Set',
			'Message → Send with Wait for Reply',
			'Session → End',
			'Session → Get Status',
			'Session → Start',
			'Session → Take Over',
			'Ticket → Create',
		],
		'0 digits only, 30 with a plus\nfound with a plus only (400 without)',
	],
	['segment-members', 'does not hold', [], 'under other key', 'the number of members is not found'],
	[
		'templates',
		'does not hold',
		[
			'Broadcast → Create',
			'Broadcast → Download CSV Template',
			'Broadcast → Preview',
			'Message → Send with a template',
			'Message → Send and Wait for Response',
			'Template → Get Many',
		],
		'no ID, name or language in 3 of 3 templates',
		'no list of components with a type in 3 of 3 templates',
		'no status',
	],
	[
		'csv-columns',
		'does not hold',
		[],
		'GET /contacts/import-template: 3 columns: Full Name, Mobile Number, other key',
		'GET /contacts/export: 3 columns: other key\nGET /contacts/export: the first row is not a header row',
		'GET /templates: none with ID, name and language',
		'/errors: 2 columns: line, reason',
	],
	['rate-limit', 'does not hold', [], 'x-quota-remaining\nunderstood in 0 of'],
];

test.each(TRUTH)('%s: %s', (id, verdict, affected, ...seen) => {
	const found = run.found(id);
	expect(found.verdict).toBe(verdict);
	for (const words of seen) expect(found.seen.join('\n')).toContain(words);
	expect(found.affected.toSorted()).toStrictEqual(
		id === 'record-ids' ? expect.arrayContaining(affected) : affected.toSorted(),
	);
});

test('every assumption has its truth', () => {
	expect(TRUTH.map(([id]) => id).toSorted()).toStrictEqual(
		run.report?.assumptions.map(({ id }) => id).toSorted(),
	);
});

test('the report begins with what goes wrong, and names it', () => {
	const [conclusion] = run.output.slice(run.output.indexOf('Your service')).split('\n\n');
	const text = conclusion?.replaceAll('\n', ' ');
	const affected = new Set(TRUTH.flatMap(([, , operations]) => operations));
	expect(text).toMatch(/^Your service works with this package, but for: Flow → Get Many, /);
	expect(text).toMatch(/\. Unknown: 1 of 20 assumptions\.$/);
	for (const operation of affected) expect(text).toContain(operation);
	expect(run.markdown).toContain(
		'| broken: Flow → Get Many. An operation that does not find them stops',
	);
	expect(run.markdown).toContain(
		'(`paging`) | works | GET /broadcasts: the list is empty<br>GET /tickets: continued<br>',
	);
	const marks = [...run.output.matchAll(/^[✗!?✓]/gmu)].map(([mark]) => mark);
	expect(marks.join('')).toMatch(/^✗+!+\?✓+$/u);
});

test('the check is complete whatever it found, and only reads', () => {
	expect(run.code).toBe(0);
	expect(new Set(service.requests.map(({ method }) => method))).toStrictEqual(new Set(['GET']));
	expect(service.requests.length).toBeLessThanOrEqual(60);
	expect(run.report?.requests).toBe(service.requests.length);
});

test('no request is sent twice', () => {
	const urls = service.requests.map(({ url }) => url);
	const twice = [...new Set(urls.filter((url, index) => urls.indexOf(url) !== index))];
	expect(twice).toStrictEqual([]);
});
