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

/** The truth about the service, written from its code: the verdict, and words that what was seen must contain. */
const TRUTH: [id: string, verdict: string, ...seen: string[]][] = [
	[
		'list-place',
		'does not hold',
		'GET /tickets: under items',
		'GET /chats: under conversations',
		'GET /contacts/imports: under jobs',
		'GET /flows: no rows found',
		'GET /users: no permission (403)',
	],
	['list-counts', 'does not hold', 'GET /contacts: meta with total'],
	['ticket-status', 'does not hold', 'state (object): OPEN, PARKED', 'not documented'],
	['status-filter', 'does not hold', 'with another status'],
	['chat-escalation', 'does not hold', 'both return 12 of the chats'],
	['record-links', 'does not hold', 'none of 12 chats', 'a chat: customer.phone (plus and digits)'],
	['not-found-shape', 'does not hold', '400, fault (text), trace (number)'],
	[
		'message-cursor',
		'does not hold',
		'rejected as a cursor with 400',
		'next_cursor: another value than the ID of the last message',
	],
	['message-order', 'cannot tell', 'no chat with several messages was read whose times'],
	[
		'message-keys',
		'does not hold',
		'direction: sender (AGENT, CUSTOMER)',
		'time: ts (epoch milliseconds)',
		'Message Received and Wait for Reply do not recognize the messages of customers',
		'Message Received does not recognize the time',
	],
	['chat-activity', 'holds', 'number of messages: message_count'],
	[
		'import-states',
		'does not hold',
		'NEW, CRUNCHING, DIGESTED (upper case)',
		'not understood: 1 of 3',
		'counters: rows_total',
	],
	['import-shape', 'holds', 'under importJob', 'its ID is importId (number)'],
	['broadcast-shape', 'cannot tell', 'the list is empty'],
	[
		'contact-shape',
		'does not hold',
		'under contact',
		'custom fields in attributes: a map of values',
	],
	['paging', 'holds', 'GET /tickets: continued', 'GET /contacts: continued'],
	['wa-id-form', 'does not hold', '0 digits only, 30 with a plus, 0 otherwise'],
	['wa-id-users', 'holds', 'none of 30 contacts has such an ID'],
	['wa-id-lookup', 'does not hold', 'found with a plus only (400 without)'],
	['ticket-number', 'does not hold', 'reading a ticket by this number does not return it (400)'],
	['segment-members', 'does not hold', 'under people', 'the number of members is not found'],
	['template-status', 'does not hold', 'no ID, name or language in 3 of 3 templates', 'no status'],
	['template-components', 'does not hold', 'components: nothing'],
	[
		'import-template-columns',
		'holds',
		'3 columns: Full Name, Mobile Number, City',
		'not recognized: Instagram ID',
	],
	['broadcast-csv-columns', 'does not hold', 'no template shows its ID, name and language'],
	['export-columns', 'does not hold', '3 columns, and the first row is not a header row'],
	['import-error-columns', 'holds', '2 columns: line, reason'],
	[
		'page-sizes',
		'does not hold',
		'GET /tickets: 25 rows by default, documented 20',
		'GET /tickets: at most 40 rows, documented 200',
		'GET /contacts: limit=1000 is rejected, and so is limit=200',
	],
	['template-limit', 'holds', '3 without a limit, 3 with limit=1000, 2 with limit=2'],
	[
		'ticket-order',
		'does not hold',
		'by last change, newest first (modified_at)',
		'the same order in a second reading',
	],
	['chat-order', 'does not hold', 'by last change, newest first (last_message_at)'],
	['broadcast-order', 'cannot tell'],
	['missing-permission', 'does not hold', 'the permission is not named: GET /users'],
	['rate-limit-headers', 'does not hold', 'x-quota-remaining', '0 of'],
	['rate-limit-counts', 'cannot tell'],
];

test.each(TRUTH)('%s: %s', (id, verdict, ...seen) => {
	const found = run.found(id);
	expect(found).toMatchObject({ id, verdict });
	for (const words of seen) expect(found.seen.join('\n')).toContain(words);
});

test('the report begins with what goes wrong, and names the operations', () => {
	const [top = ''] = run.output.split('✓');
	expect(top).toMatch(
		/^Your service works with this package, but for: .*Chat → Get Messages.*\.$/m,
	);
	for (const operation of [
		'Chat → Get Messages',
		'Flow → Get Many',
		'Trigger: chat',
		'Trigger: ticket',
		'Contact → Create or Update',
	])
		expect(top).toContain(operation);
	expect(run.found('message-keys').affected).toEqual([
		'Message → Send with Wait for Reply',
		'Trigger: Message Received',
	]);
	expect(run.found('record-links').affected).toEqual([
		'Trigger: chat',
		'Trigger: Message Received',
	]);
});

test.each([
	[
		'paging',
		'✓ Does page 2 of each list continue page 1? works (paging)',
		'| Does page 2 of each list continue page 1? (`paging`) | works |',
	],
	[
		'wa-id-form',
		'    works, but: The nodes send the digits',
		'| works, but: The nodes send the digits',
	],
	[
		'record-links',
		'    broken: Trigger: chat, Trigger: Message Received. Items of Message Received have no',
		'| broken: Trigger: chat, Trigger: Message Received. Items of Message Received have no',
	],
	[
		'broadcast-shape',
		'    unknown; if not: Get and Wait for Completion cannot follow the broadcast.',
		'| unknown; if not: Get and Wait for Completion cannot follow the broadcast. |',
	],
])('%s is shown with its consequence', (_id, terminal, markdown) => {
	// A string matches if it is contained.
	expect(run.output).toMatch(terminal);
	expect(run.markdown).toMatch(markdown);
});

test('the check is complete whatever it found, and only reads', () => {
	expect(run.code).toBe(0);
	expect(new Set(service.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
	expect(service.requests.length).toBeLessThanOrEqual(60);
	expect(run.report?.requests).toBe(service.requests.length);
});

test('no request is sent twice, except for the second reading of a list', () => {
	const urls = service.requests.map(({ url }) => url);
	const twice = [...new Set(urls.filter((url, index) => urls.indexOf(url) !== index))];
	expect(
		twice.every((url) =>
			/^\/api\/v2\/(tickets|chats|contacts|broadcasts)\?limit=|^\/api\/v2\/contacts$/.test(url),
		),
	).toBe(true);
});

test('nothing of the contacts is in the report', () => {
	for (const word of ['Maria', 'Lopez', '2025550', 'Rex', 'Shoe', TOKEN, 'Contact 1', 'Subject'])
		expect([word, run.everything.includes(word)]).toEqual([word, false]);
});
