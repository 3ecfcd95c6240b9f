/**
 * Courses of a service and of the polls of a trigger: what the service has, what changes, what each poll requests, and
 * what it emits. The lists are short, and the limits low; the model compares random histories with the service.
 */
import { chats } from '../../nodes/ConversationalMessaging/trigger/sources/chats.ts';
import { importJobs } from '../../nodes/ConversationalMessaging/trigger/sources/importJobs.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/sources/tickets.ts';
import { FakeTime } from '../time.mts';
import { linesOf } from './lines.mts';
import { carryOut, type Setting } from './script.mts';

let time: FakeTime;
beforeEach(() => {
	time = new FakeTime().install();
});
afterEach(() => time.restore());

/** In the words of script.mts. */
function courses(about: string, rows: [what: string, setting: Setting, script: string][]): void {
	describe(about, () => {
		test.each(rows)('%s', async (_what, setting, script) => {
			expect(await carryOut(script, setting)).toBe(linesOf(script));
		});
	});
}

/** Pages of three rows. */
const TICKETS: Setting = { source: { ...tickets, pageSize: 3 } };

const WITH_DETAILS: Setting = { ...TICKETS, details: true };

const OF_AN_AGENT: Setting = { ...TICKETS, scope: { assigneeId: 'A1' } };

const CHATS_OF_AN_AGENT: Setting = { source: chats, scope: { assigneeId: 'A1' } };

/** A long list of closed tickets, R1 to R8, and one open ticket, R9. */
const ONE_LONG = `make CLOSED*8 OPEN
	poll
	  : all:1 OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1 CLOSED:1 CLOSED:2 CLOSED:3 CLOSED:1 CLOSED:2 CLOSED:3`;

/** Two long lists in turn: R1 is closed, R2 resolved, …, and one open ticket, R17. */
const TWO_LONG = `make CLOSED,RESOLVED*8 OPEN
	poll
	  : all:1 OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1 RESOLVED:1 RESOLVED:2 RESOLVED:3 RESOLVED:1 RESOLVED:2 RESOLVED:3 CLOSED:1 CLOSED:2
	poll
	  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 RESOLVED:2 CLOSED:2 CLOSED:3 CLOSED:1 CLOSED:2 CLOSED:3`;

courses('records that fit on one page', [
	[
		'the first poll emits nothing; then new records and changes are emitted',
		TICKETS,
		`make OPEN CLOSED
		poll
		  : all:1
		poll
		  : all:1
		change R1 IN_PROGRESS
		make OPEN
		poll
		  : all:1
		  = R1 OPEN>IN_PROGRESS, R3 new>OPEN
		poll
		  : all:1`,
	],
	[
		'of several changes between two polls, the last status counts; a deletion is none',
		TICKETS,
		`make OPEN OPEN
		poll
		  : all:1
		change R1 RESOLVED
		change R1 CLOSED
		delete R2
		poll
		  : all:1 get:R2
		  = R1 OPEN>CLOSED
		poll
		  : all:1`,
	],
	[
		'a filter applies after the comparison: what it leaves out is not emitted later',
		TICKETS,
		`make OPEN OPEN
		poll
		  : all:1
		filter CLOSED
		poll
		  : all:1
		change R1 CLOSED
		change R2 RESOLVED
		make CLOSED
		poll
		  : all:1
		  = R1 OPEN>CLOSED
		filter new
		poll
		  : all:1
		poll
		  : all:1`,
	],
	[
		'a change that the old filter leaves out is not emitted by the first poll with the new one',
		TICKETS,
		`make OPEN
		poll
		  : all:1
		filter CLOSED
		poll
		  : all:1
		change R1 RESOLVED
		filter new
		poll
		  : all:1
		change R1 OPEN
		poll
		  : all:1
		  = R1 RESOLVED>OPEN`,
	],
	[
		'after a restart with an older state, the changes since are emitted again',
		TICKETS,
		`make OPEN
		poll
		  : all:1
		change R1 RESOLVED
		poll
		  : all:1
		  = R1 OPEN>RESOLVED
		restart 1
		poll
		  : all:1
		  = R1 OPEN>RESOLVED
		poll
		  : all:1`,
	],
	[
		'of import jobs, the service shows only the recent ones: each that appears is new',
		{ source: importJobs },
		`make queued
		poll
		  : all
		change R1 Processing
		make queued
		poll
		  : all
		  = R1 queued>Processing, R2 new>queued`,
	],
]);

courses('a list of several pages that is read in full', [
	[
		'it is read twice at first, because rows shift while it is read',
		{ ...TICKETS, limits: { wholePages: 3 } },
		`make OPEN*5 CLOSED
		poll
		  : all:1 all:2 all:1 all:2
		change R1 CLOSED
		poll
		  : all:1 all:2
		  = R1 OPEN>CLOSED`,
	],
	[
		'it is read once more if the second reading shows a record that the first one missed',
		{ ...TICKETS, limits: { wholePages: 3 } },
		`make OPEN*7
		during 2: delete R6
		poll
		  : all:1 all:2 all:3 all:1 all:2 all:1 all:2
		poll
		  : all:1 all:2 get:R6`,
	],
	[
		'absence is no change: a ticket that rows shifted out of sight is looked up',
		{ ...TICKETS, limits: { wholePages: 3 } },
		`make OPEN*7
		poll
		  : all:1 all:2 all:3 all:1 all:2 all:3
		during 2: delete R6
		poll
		  : all:1 all:2 all:3 get:R4
		poll
		  : all:1 all:2 get:R6`,
	],
]);

courses('records that do not show their status', [
	[
		'have that of their list',
		{ ...TICKETS, limits: { wholePages: 2 }, service: { showsStatus: false } },
		`make CLOSED*4 OPEN
		poll
		  : all:1 OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:2 CLOSED:1 CLOSED:2
		make OPEN*3 CLOSED
		change R5 CLOSED
		poll
		  : all:1 OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:2
		  = R5 OPEN>CLOSED, R8 new>OPEN, R7 new>OPEN, R6 new>OPEN, R9 new>CLOSED
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:2`,
	],
]);

courses('short and long lists', [
	[
		'a long list is read twice, silently; then each poll reads the first page of each list, and one more page in rotation',
		TICKETS,
		`make CLOSED*8 OPEN
		poll
		  : all:1 OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1 CLOSED:1 CLOSED:2 CLOSED:3 CLOSED:1 CLOSED:2 CLOSED:3
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:2
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:3
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1`,
	],
	[
		'what leaves a short list is looked up; what is new is on the first page',
		TICKETS,
		`${ONE_LONG}
		change R9 CLOSED
		make CLOSED OPEN
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R9 CLOSED:1 CLOSED:2
		  = R9 OPEN>CLOSED, R11 new>OPEN, R10 new>CLOSED
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:3`,
	],
	[
		'what enters a short list has its previous status',
		TICKETS,
		`${ONE_LONG}
		change R2 IN_PROGRESS
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:2
		  = R2 CLOSED>IN_PROGRESS`,
	],
	[
		'more tickets leave a short list than one poll looks up: the next one continues',
		TICKETS,
		`make CLOSED*8 OPEN*3
		poll
		  : all:1 OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1 CLOSED:1 CLOSED:2 CLOSED:3 CLOSED:1 CLOSED:2 CLOSED:3
		change R9 R10 R11 CLOSED
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R11 get:R10 CLOSED:1 CLOSED:2
		  = R11 OPEN>CLOSED, R10 OPEN>CLOSED, R9 OPEN>CLOSED
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:3
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:4`,
	],
	[
		'until the long list is known, a ticket that enters a short list may be old or new: it has no previous status',
		{ ...TICKETS, limits: { fillPages: 2 } },
		`make CLOSED*8 OPEN
		poll
		  : all:1 OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1 CLOSED:1 CLOSED:2
		change R2 OPEN
		make CLOSED
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:2 CLOSED:2 CLOSED:3
		  = R2 new>OPEN`,
	],
	[
		'a short list becomes a long one, and is known already',
		TICKETS,
		`make OPEN*2
		poll
		  : all:1
		make OPEN*8
		poll
		  : all:1 OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1 OPEN:4 OPEN:2 OPEN:3 OPEN:4
		  = R10 new>OPEN, R9 new>OPEN, R8 new>OPEN, R7 new>OPEN, R6 new>OPEN, R5 new>OPEN, R4 new>OPEN, R3 new>OPEN
		poll
		  : IN_PROGRESS:1 RESOLVED:1 CLOSED:1 OPEN:1 OPEN:2
		make OPEN
		poll
		  : IN_PROGRESS:1 RESOLVED:1 CLOSED:1 OPEN:1 OPEN:3
		  = R11 new>OPEN`,
	],
	[
		'a long list becomes a short one',
		TICKETS,
		`${ONE_LONG}
		change R1 R2 R3 R4 R5 R6 OPEN
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1 OPEN:3 OPEN:2
		  = R6 CLOSED>OPEN, R5 CLOSED>OPEN, R1 CLOSED>OPEN, R4 CLOSED>OPEN, R3 CLOSED>OPEN, R2 CLOSED>OPEN
		poll
		  : IN_PROGRESS:1 RESOLVED:1 CLOSED:1 OPEN:1 OPEN:2
		change R7 RESOLVED
		poll
		  : IN_PROGRESS:1 RESOLVED:1 CLOSED:1 OPEN:1 OPEN:3
		  = R7 CLOSED>RESOLVED`,
	],
	[
		'a status that the service does not document has no list: its tickets are looked up',
		TICKETS,
		`${ONE_LONG}
		change R9 ON_HOLD
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R9 CLOSED:1 CLOSED:2
		  = R9 OPEN>ON_HOLD
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R9 CLOSED:1 CLOSED:3
		change R9 OPEN
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1
		  = R9 ON_HOLD>OPEN`,
	],
]);

courses('two long lists', [
	[
		'a total that grew shows a change: the last page is read, then the others, until it is explained',
		TICKETS,
		`${TWO_LONG}
		change R8 CLOSED
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 RESOLVED:3 CLOSED:3 CLOSED:2
		  = R8 RESOLVED>CLOSED
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1`,
	],
	[
		'a search that one poll cannot finish continues in the next one',
		{ ...TICKETS, limits: { searchPages: 2 } },
		`make CLOSED,RESOLVED*14 OPEN
		poll
		  : all:1 OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1 RESOLVED:1 RESOLVED:2 RESOLVED:3 RESOLVED:4 RESOLVED:5 RESOLVED:1 RESOLVED:2 RESOLVED:3
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 RESOLVED:2 RESOLVED:3 RESOLVED:4 RESOLVED:5 CLOSED:1 CLOSED:2 CLOSED:3 CLOSED:4 CLOSED:5
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 RESOLVED:3 CLOSED:1 CLOSED:2 CLOSED:3 CLOSED:4 CLOSED:5
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 RESOLVED:4
		change R14 CLOSED
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 RESOLVED:5 CLOSED:5 CLOSED:2
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1 CLOSED:5 CLOSED:3
		  = R14 RESOLVED>CLOSED
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:2`,
	],
	[
		'two tickets that swap statuses change no total: the rotation finds them',
		TICKETS,
		`${TWO_LONG}
		swap R4 R13
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 RESOLVED:3 CLOSED:3 CLOSED:2
		  = R13 CLOSED>RESOLVED, R4 RESOLVED>CLOSED
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:2
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:3
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1`,
	],
	[
		'a ticket that moves from one long list to the other while they are read',
		TICKETS,
		`${TWO_LONG}
		during 5: change R8 CLOSED
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 RESOLVED:3
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1 CLOSED:3 CLOSED:2
		  = R8 RESOLVED>CLOSED`,
	],
	[
		'a deletion starts no search, and hides no change after it',
		TICKETS,
		`${TWO_LONG}
		delete R1
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 RESOLVED:3
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1
		change R8 CLOSED
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:2
		  = R8 RESOLVED>CLOSED`,
	],
	[
		'a total that stays too high is searched once',
		TICKETS,
		`${TWO_LONG}
		hide 1
		poll
		  : OPEN:1 IN_PROGRESS:1 OPEN:2 RESOLVED:1 CLOSED:1 RESOLVED:3 RESOLVED:3 RESOLVED:2 RESOLVED:3 CLOSED:3
		poll
		  : OPEN:1 IN_PROGRESS:1 OPEN:2 RESOLVED:1 CLOSED:1 all:1 CLOSED:3 CLOSED:2 CLOSED:3
		make RESOLVED
		poll
		  : OPEN:1 IN_PROGRESS:1 OPEN:2 RESOLVED:1 CLOSED:1 CLOSED:2
		  = R18 new>RESOLVED`,
	],
	[
		'a ticket that an exchange hides from the first reading is not new later: the second one shows it',
		{ ...TICKETS, order: 'oldest' },
		`make CLOSED,RESOLVED*8
		during 9: swap R10 R15
		poll
		  : all:1 OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1 RESOLVED:1 RESOLVED:2 RESOLVED:3 RESOLVED:1 RESOLVED:2 RESOLVED:3 RESOLVED:1 RESOLVED:2
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 RESOLVED:2 RESOLVED:2 RESOLVED:3 CLOSED:1 CLOSED:2 CLOSED:3 CLOSED:1 CLOSED:2 CLOSED:3
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 RESOLVED:3 CLOSED:3 CLOSED:2
		  = R10 RESOLVED>CLOSED
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1`,
	],
]);

courses('records that cannot be read', [
	[
		'one that always answers 500 keeps its status, and holds up no other one',
		TICKETS,
		`make OPEN*2 CLOSED*8
		poll
		  : all:1 OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1 CLOSED:1 CLOSED:2 CLOSED:3 CLOSED:1 CLOSED:2 CLOSED:3
		reject R1 500
		change R1 R2 ON_HOLD
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R2 get:R1 CLOSED:1 CLOSED:2
		  = R2 OPEN>ON_HOLD
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R1 get:R2 CLOSED:1 CLOSED:3
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R1 get:R2 CLOSED:1 all:1
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R1 get:R2 CLOSED:1 CLOSED:2
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R1 get:R2 CLOSED:1 CLOSED:3
		make CLOSED
		change R2 OPEN
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R1 CLOSED:1 all:1
		  = R2 ON_HOLD>OPEN, R11 new>CLOSED`,
	],
	[
		'with Include Details, a change waits for its record, and the others do not wait for it',
		WITH_DETAILS,
		`make OPEN*2
		poll
		  : all:1
		reject R1 500
		change R1 R2 CLOSED
		make OPEN
		poll
		  : all:1 get:R2 get:R1 get:R3
		  = R2 OPEN>CLOSED, R3 new>OPEN
		poll
		  : all:1 get:R1
		accept R1
		poll
		  : all:1 get:R1
		  = R1 OPEN>CLOSED
		poll
		  : all:1`,
	],
	[
		'a record whose details are rejected is emitted with what its list shows',
		WITH_DETAILS,
		`make OPEN
		poll
		  : all:1
		reject R1 403
		change R1 CLOSED
		poll
		  : all:1 get:R1
		  = R1 OPEN>CLOSED
		poll
		  : all:1`,
	],
	[
		'three different ones that fail in a row: the service is out of order',
		{ ...TICKETS, limits: { lookups: 5 } },
		`make OPEN*4 CLOSED*8
		poll
		  : all:1 OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 OPEN:2 OPEN:1 OPEN:2 all:1 CLOSED:1 CLOSED:2 CLOSED:3 CLOSED:1 CLOSED:2 CLOSED:3
		reject R1 500
		reject R2 502
		reject R3 503
		reject R4 500
		change R1 R2 R3 R4 ON_HOLD
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R4 get:R3 get:R2 get:R1 CLOSED:1 CLOSED:2
		  = failed 1
		make OPEN
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R4 get:R3 get:R2 get:R1 CLOSED:1 CLOSED:3
		  = failed 2, R13 new>OPEN
		accept R1
		accept R2
		accept R3
		accept R4
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R4 get:R3 get:R2 get:R1 CLOSED:1 all:1
		  = R4 OPEN>ON_HOLD, R3 OPEN>ON_HOLD, R2 OPEN>ON_HOLD, R1 OPEN>ON_HOLD`,
	],
	[
		'a rate limit ends the poll at once, also at a record',
		TICKETS,
		`make CLOSED*8 OPEN*2
		poll
		  : all:1 OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1 CLOSED:1 CLOSED:2 CLOSED:3 CLOSED:1 CLOSED:2 CLOSED:3
		reject R9 429
		change R9 CLOSED
		change R10 IN_PROGRESS
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R9
		  = failed 1, R10 OPEN>IN_PROGRESS
		accept R9
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R9 CLOSED:1 CLOSED:2
		  = R9 OPEN>CLOSED`,
	],
]);

courses('pages that cannot be read', [
	[
		'an outage: nothing more is requested, what was seen counts, and the next poll finds the rest',
		TICKETS,
		`${ONE_LONG}
		change R1 OPEN
		make CLOSED
		fail 4
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1
		  = failed 1, R1 CLOSED>OPEN
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:2
		  = R10 new>CLOSED`,
	],
	[
		'an outage in the first poll: the next one is the first',
		TICKETS,
		`make OPEN*7
		fail 3
		poll
		  : all:1 OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1
		  = failed 1
		make OPEN
		poll
		  : all:1 OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1 OPEN:1 OPEN:2 OPEN:3 OPEN:1 OPEN:2 OPEN:3
		make OPEN
		poll
		  : IN_PROGRESS:1 RESOLVED:1 CLOSED:1 OPEN:1 OPEN:2
		  = R9 new>OPEN`,
	],
	[
		'an outage while a long list is read for the first time is none of the poll',
		TICKETS,
		`make CLOSED*8 OPEN
		fail 8
		poll
		  : all:1 OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1 CLOSED:1 CLOSED:2 CLOSED:3
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:2 CLOSED:2 CLOSED:3 CLOSED:1 CLOSED:2 CLOSED:3`,
	],
	[
		'pages that are rejected while publishing are no empty pages: what is on them is not new later',
		TICKETS,
		`make CLOSED*12 OPEN
		reject pages 3 403
		poll
		  : all:1 OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1 CLOSED:1 CLOSED:2 CLOSED:3 CLOSED:4
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:2 CLOSED:3
		accept pages
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:3 CLOSED:3 CLOSED:4 CLOSED:1 CLOSED:2 CLOSED:3 CLOSED:4
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:4
		make CLOSED
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1
		  = R14 new>CLOSED`,
	],
	[
		'a list that can be read only up to a limit: a ticket that is reopened from beyond it is no new one',
		TICKETS,
		`make CLOSED*15 OPEN
		reject pages 4 400
		poll
		  : all:1 OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1 CLOSED:1 CLOSED:2 CLOSED:3 CLOSED:4 CLOSED:5
		filter CLOSED OPEN
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:2 CLOSED:4
		change R1 OPEN
		make OPEN
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:3 CLOSED:4
		  = R17 new>OPEN, R1 new>OPEN
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:4 CLOSED:4`,
	],
	[
		'a page that is rejected in rotation is left out until the next time',
		TICKETS,
		`make CLOSED*12 OPEN
		poll
		  : all:1 OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1 CLOSED:1 CLOSED:2 CLOSED:3 CLOSED:4 CLOSED:1 CLOSED:2 CLOSED:3 CLOSED:4
		reject pages 3-3 403
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:2
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:3
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:4
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:2`,
	],
	[
		'a page that always fails is left out as well, and holds up neither events nor the pages after it',
		{ ...WITH_DETAILS, limits: { wholePages: 1 } },
		`make CLOSED*12 OPEN
		poll
		  : all:1 OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1 CLOSED:1 CLOSED:2 CLOSED:3 CLOSED:4 CLOSED:1 CLOSED:2 CLOSED:3 CLOSED:4
		reject pages 2-2 500
		make OPEN
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 get:R14 CLOSED:2
		  = R14 new>OPEN
		make OPEN
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 get:R15 CLOSED:3
		  = R15 new>OPEN
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:4
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:2`,
	],
	[
		'a search ends at a page that is rejected: the next change is searched from the second page on',
		{ ...TICKETS, limits: { searchPages: 9, fillPages: 99 } },
		`make CLOSED,RESOLVED*15
		poll
		  : all:1 OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1 RESOLVED:1 RESOLVED:2 RESOLVED:3 RESOLVED:4 RESOLVED:5 RESOLVED:1 RESOLVED:2 RESOLVED:3 RESOLVED:4 RESOLVED:5 CLOSED:1 CLOSED:2 CLOSED:3 CLOSED:4 CLOSED:5 CLOSED:1 CLOSED:2 CLOSED:3 CLOSED:4 CLOSED:5
		reject pages 4-9 400
		change R2 CLOSED
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 RESOLVED:2 CLOSED:6 CLOSED:2 CLOSED:3 CLOSED:4 CLOSED:5 CLOSED:6
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 RESOLVED:3
		change R18 CLOSED
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 RESOLVED:4 CLOSED:6 CLOSED:2 CLOSED:3 CLOSED:4 CLOSED:5 CLOSED:6
		  = R18 RESOLVED>CLOSED`,
	],
	[
		'without totals, a list with more than one page is long; a page that is rejected may be behind the last one: the rotation goes on with the next list',
		{ ...TICKETS, service: { totals: false } },
		`make CLOSED,RESOLVED*9
		reject pages 3-9 400
		poll
		  : all:1 OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1 RESOLVED:1 RESOLVED:2 RESOLVED:3 RESOLVED:4 RESOLVED:5 RESOLVED:6 RESOLVED:7 RESOLVED:8
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 RESOLVED:2 RESOLVED:3
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 RESOLVED:3 RESOLVED:3
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1 RESOLVED:3
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:2 RESOLVED:3
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:3 RESOLVED:3`,
	],
	[
		'without totals, a list whose last page is followed by none is known',
		{ ...TICKETS, limits: { fillPages: 99 }, service: { totals: false } },
		`make CLOSED*6
		reject pages 3-12 404
		poll
		  : all:1 OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1 CLOSED:1 CLOSED:2 CLOSED:3 CLOSED:4 CLOSED:5 CLOSED:6 CLOSED:7 CLOSED:8 CLOSED:9 CLOSED:1 CLOSED:2 CLOSED:3 CLOSED:4 CLOSED:5 CLOSED:6 CLOSED:7 CLOSED:8 CLOSED:9
		make CLOSED
		poll
		  : all:1 OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:2
		  = R7 new>CLOSED`,
	],
	[
		'lists that can all be read only up to a limit cost one request more at rest: one of them is tried again',
		TICKETS,
		`make OPEN,IN_PROGRESS,RESOLVED,CLOSED*9
		reject pages 2 400
		poll
		  : all:1 OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1 OPEN:1 OPEN:2 OPEN:3
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 OPEN:2 OPEN:2
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 OPEN:3 OPEN:2
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1 OPEN:2`,
	],
	[
		'a token that is rejected half way ends the poll: what was seen counts',
		TICKETS,
		`${TWO_LONG}
		make OPEN
		fail 5 401
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 RESOLVED:3
		  = failed 1 with an error, R18 new>OPEN
		fail 1 401
		poll
		  : OPEN:1 IN_PROGRESS:1
		  = failed 2 with an error
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 RESOLVED:3`,
	],
	[
		'a page that always redirects is left out, also while a long list is read for the first time',
		TICKETS,
		`make CLOSED*12 OPEN
		reject pages 3-3 302
		poll
		  : all:1 OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1 CLOSED:1 CLOSED:2 CLOSED:3 CLOSED:4
		make OPEN
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:2 CLOSED:3
		  = R14 new>OPEN`,
	],
	[
		'after a rate limit, the same page comes first; events with details do not wait for it',
		WITH_DETAILS,
		`${ONE_LONG}
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:2
		make OPEN
		fail 6 429
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 get:R10 CLOSED:3
		  = failed 1, R10 new>OPEN
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 CLOSED:3`,
	],
]);

courses('another token', [
	[
		'of the same organization: what changed meanwhile is emitted',
		TICKETS,
		`make OPEN*2 CLOSED
		poll
		  : all:1
		token mistyped
		fail 1 401
		poll
		  : all:1
		  = failed 1 with an error
		change R1 CLOSED
		make OPEN
		token new
		poll
		  : all:1 OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1
		  = R1 OPEN>CLOSED, R4 new>OPEN
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1`,
	],
	[
		'while the rate limit ends every poll: what was seen counts',
		{ ...TICKETS, limits: { lookups: 9 } },
		`make CLOSED*8 OPEN*3
		poll
		  : all:1 OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1 CLOSED:1 CLOSED:2 CLOSED:3 CLOSED:1 CLOSED:2 CLOSED:3
		change R9 R10 CLOSED
		make OPEN
		token new
		fail 5 429
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R10 get:R9
		  = failed 1, R10 OPEN>CLOSED, R12 new>OPEN
		fail 5 429
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R9 CLOSED:1
		  = failed 2, R9 OPEN>CLOSED`,
	],
	[
		'of another organization: it starts over, as soon as a poll was complete',
		TICKETS,
		`make OPEN*2
		poll
		  : all:1
		delete R1 R2
		make OPEN CLOSED
		token foreign
		fail 2 429
		poll
		  : all:1 get:R2 get:R1
		  = failed 1
		poll
		  : all:1 get:R2 get:R1 all:1
		change R3 CLOSED
		poll
		  : all:1
		  = R3 OPEN>CLOSED`,
	],
	[
		'while no record was known: the first ones are emitted',
		OF_AN_AGENT,
		`make CLOSED
		assign R1 A2
		poll
		  : assigneeId=A1:1
		token new
		make OPEN
		poll
		  : assigneeId=A1:1
		  = R2 new>OPEN`,
	],
	[
		'while all known records were assigned to somebody else: they still exist',
		OF_AN_AGENT,
		`make OPEN*2
		poll
		  : assigneeId=A1:1
		assign R1 A2
		assign R2 A2
		make OPEN
		token new
		poll
		  : assigneeId=A1:1 get:R2 get:R1
		  = R3 new>OPEN`,
	],
	[
		'while no chat was escalated',
		{ source: chats },
		`make ESCALATED NOT_ESCALATED
		poll
		  : needsEscalation=true:1
		change R1 NOT_ESCALATED
		poll
		  : needsEscalation=true:1 get:R1 needsEscalation=false&contactId=contact of R1:1
		  = R1 ESCALATED>NOT_ESCALATED
		token new
		change R2 ESCALATED
		poll
		  : needsEscalation=true:1
		  = R2 NOT_ESCALATED>ESCALATED`,
	],
]);

courses('what three records that fail do not hold up', [
	[
		'another token, and other filters',
		{ ...TICKETS, limits: { lookups: 5 } },
		`make OPEN*4 CLOSED*8
		poll
		  : all:1 OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1 OPEN:2 OPEN:1 OPEN:2 all:1 CLOSED:1 CLOSED:2 CLOSED:3 CLOSED:1 CLOSED:2 CLOSED:3
		reject R1 500
		reject R2 500
		reject R3 500
		reject R4 500
		change R1 R2 R3 R4 ON_HOLD
		token new
		filter new CLOSED
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R4 get:R3 get:R2 get:R1 CLOSED:1 CLOSED:2
		  = failed 1
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R4 get:R3 get:R2 get:R1 CLOSED:1 CLOSED:3
		  = failed 2
		make CLOSED OPEN
		change R5 OPEN
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R4 get:R3 get:R2 get:R1 CLOSED:1 all:1
		  = failed 3, R13 new>CLOSED
		filter new
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R4 get:R3 get:R2 get:R1 CLOSED:1 CLOSED:2
		  = failed 4
		make OPEN
		poll
		  : OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R4 get:R3 get:R2 get:R1 CLOSED:1 CLOSED:3
		  = failed 5 with an error, R15 new>OPEN`,
	],
]);

courses('a filter for an agent', [
	[
		'a chat that is escalated first and assigned later starts the trigger of its agent',
		CHATS_OF_AN_AGENT,
		`make NOT_ESCALATED*2
		poll
		  : assigneeId=A1&needsEscalation=true:1
		assign R1 A2
		change R1 ESCALATED
		poll
		  : assigneeId=A1&needsEscalation=true:1
		assign R1 A1
		poll
		  : assigneeId=A1&needsEscalation=true:1
		  = R1 new>ESCALATED
		change R1 NOT_ESCALATED
		poll
		  : assigneeId=A1&needsEscalation=true:1 get:R1 needsEscalation=false&contactId=contact of R1:1
		  = R1 ESCALATED>NOT_ESCALATED`,
	],
	[
		'a ticket that is assigned to somebody else is looked up once, and no change',
		OF_AN_AGENT,
		`make OPEN*2
		poll
		  : assigneeId=A1:1
		assign R1 A2
		poll
		  : assigneeId=A1:1 get:R1
		poll
		  : assigneeId=A1:1`,
	],
	[
		'also if the service shows the agent as a record of its own',
		{ ...OF_AN_AGENT, service: { isNested: true } },
		`make OPEN*2
		poll
		  : assigneeId=A1:1
		assign R1 A2
		poll
		  : assigneeId=A1:1 get:R1
		poll
		  : assigneeId=A1:1`,
	],
]);
