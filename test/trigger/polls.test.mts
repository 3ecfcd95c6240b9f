/**
 * What each poll requests, reports and expects next time, in histories of few records with limits of few pages. The
 * model compares random histories with the service; these show what every step is for.
 */
import { broadcasts } from '../../nodes/ConversationalMessaging/trigger/sources/broadcasts.ts';
import { chats } from '../../nodes/ConversationalMessaging/trigger/sources/chats.ts';
import { importJobs } from '../../nodes/ConversationalMessaging/trigger/sources/importJobs.ts';
import type { StatusSource } from '../../nodes/ConversationalMessaging/trigger/sources/source.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/sources/tickets.ts';
import { FakeTime } from '../time.mts';
import { linesOf } from './lines.mts';
import { carryOut, type Setting } from './script.mts';

let time: FakeTime;
beforeEach(() => {
	time = new FakeTime().install();
});
afterEach(() => time.restore());

/** Pages of three rows. */
const SMALL_PAGES: StatusSource = { ...tickets, pageSize: 3 };

const TICKETS: Setting = { source: SMALL_PAGES };

/** Courses of a service and of the polls of a trigger, in the words of script.mts. */
function courses(about: string, rows: [what: string, setting: Setting, script: string][]): void {
	describe(about, () => {
		test.each(rows)('%s', async (_what, setting, script) => {
			expect(await carryOut(script, setting)).toBe(linesOf(script));
		});
	});
}

/** A long list after its first two polls: one archive, of which everything is known, and a short list. */
const ONE_ARCHIVE = `make CLOSED*8 OPEN
	poll all:1 lists all:1 all:2 all:3 ->
	  = OPEN 1 0 marks of 1, CLOSED 8+ 4 marks of 8; complete; 1 of 9 by ID
	poll lists(CLOSED:2) ->
	  = OPEN 1, CLOSED 8+ 4 marks of 8; complete; 1 of 9 by ID`;

/** Two archives, and everything is known. */
const TWO_ARCHIVES = `make CLOSED,RESOLVED*8 OPEN
	poll all:1 lists all:1 all:2 all:3 ->
	  = OPEN 1 0 marks of 1, RESOLVED 8+ 2 marks of 4, CLOSED 8+ 2 marks of 4; reading, page 3 of pass 1; 1 of 9 by ID
	poll lists(RESOLVED:2) all:3 all:4 all:5 all:6 ->
	  = OPEN 1 0 marks of 1, RESOLVED 8+ 4 marks of 8, CLOSED 8+ 4 marks of 8; complete; 1 of 17 by ID
	poll lists(RESOLVED:3) ->
	  = OPEN 1, RESOLVED 8+ 4 marks of 8, CLOSED 8+ 4 marks of 8; complete; 1 of 17 by ID`;

/** Two lists of the same length: one is short enough to be read completely, the other one is an archive. */
const SHORT_AND_ARCHIVE = `make CLOSED,RESOLVED*6 OPEN
	poll all:1 lists RESOLVED:2 RESOLVED:1 RESOLVED:2 all:1 all:2 all:3 ->
	  = OPEN 1 0 marks of 1, RESOLVED 6 2 marks of 4, CLOSED 6+ 2 marks of 4; reading, page 3 of pass 1; 7 of 11 by ID
	poll lists(CLOSED:2) RESOLVED:2 all:3 all:4 all:5 ->
	  = OPEN 1 0 marks of 1, RESOLVED 6 3 marks of 6, CLOSED 6+ 3 marks of 6; complete; 7 of 13 by ID`;

/** A long list after its first poll, which has read a part of it. */
const HALF_READ = `make CLOSED*13 OPEN
	poll all:1 lists all:1 all:2 all:3 ->
	  = OPEN 1 0 marks of 1, CLOSED 13+ 4 marks of 8; reading, page 3 of pass 1; 1 of 9 by ID`;

/** A list that is longer than what is kept: of its archive, only some records are known. */
const TRUNCATED = `make CLOSED*11 OPEN
	poll all:1 lists all:1 all:2 ->
	  = OPEN 1, CLOSED 11+; truncated; 1 of 6 by ID
	poll lists(CLOSED:2) ->
	  = OPEN 1, CLOSED 11+ 2 marks of 11; truncated; 1 of 7 by ID`;

/** The same, once every page of its archive has been read: all records are known that fit. */
const ALL_SEEN = `${TRUNCATED}
	poll lists(CLOSED:3) ->
	  = OPEN 1, CLOSED 11+ 3 marks of 11; truncated; 1 of 10 by ID
	poll lists(CLOSED:4) ->
	  = OPEN 1, CLOSED 11+ 4 marks of 11; truncated; 1 of 12 by ID
	poll lists ->
	  = OPEN 1, CLOSED 11+ 5 marks of 11; truncated; 1 of 12 by ID
	poll lists(CLOSED:2) ->
	poll lists(CLOSED:3) ->
	poll lists(CLOSED:4) ->`;

courses('a short list', [
	[
		'a short list is read in one request; the first poll reports nothing',
		TICKETS,
		`make OPEN CLOSED
		poll all:1 ->
		  = OPEN 1, CLOSED 1; complete; 1 of 2 by ID
		poll all:1 ->
		change R1 IN_PROGRESS
		make OPEN
		poll all:1 -> R1 OPEN>IN_PROGRESS 1, R3 new>OPEN 1
		  = OPEN 1, IN_PROGRESS 1, CLOSED 1; complete; 2 of 3 by ID
		change R1 CLOSED
		change R1 OPEN
		delete R3
		poll all:1 get:R3 -> R1 IN_PROGRESS>OPEN 2
		  = OPEN 1, CLOSED 1; complete; 1 of 2 by ID
		change R1 IN_PROGRESS
		poll all:1 -> R1 OPEN>IN_PROGRESS 3
		  = IN_PROGRESS 1, CLOSED 1; complete; 1 of 2 by ID
		poll all:1 ->`,
	],
	[
		'a list of several pages is read again in the first poll, until nothing is new',
		{ ...TICKETS, limits: { wholePages: 3 } },
		`make OPEN*5 CLOSED
		during 2: make OPEN
		poll all:1 all:2 all:1 all:2 all:3 all:1 all:2 all:3 ->
		  = OPEN 6, CLOSED 1; complete; 6 of 7 by ID
		change R1 CLOSED
		poll all:1 all:2 all:3 -> R1 OPEN>CLOSED 1
		  = OPEN 5, CLOSED 2; complete; 5 of 7 by ID
		during 2: make OPEN
		poll all:1 all:2 all:3 ->
		poll all:1 all:2 all:3 -> R8 new>OPEN 1
		  = OPEN 6, CLOSED 2; complete; 6 of 8 by ID
		delete R2
		change R3 CLOSED
		poll all:1 all:2 all:3 get:R2 -> R3 OPEN>CLOSED 1
		  = OPEN 4, CLOSED 3; complete; 4 of 7 by ID
		poll all:1 all:2 all:3 ->`,
	],
	[
		'a list whose total changes during a reading is not proven; the next reading is',
		{ ...TICKETS, limits: { wholePages: 3 } },
		`make OPEN*4
		poll all:1 all:2 all:1 all:2 ->
		  = OPEN 4; complete; 4 of 4 by ID
		during 2: delete R1
		poll all:1 all:2 get:R1 ->
		  = OPEN 3; complete; 3 of 3 by ID
		poll all:1 ->`,
	],
	[
		'each first reading has something new: after the third, it is taken as it is',
		{ ...TICKETS, limits: { wholePages: 3 } },
		`make OPEN*4
		during 2: make OPEN
		during 4: make OPEN
		during 7: make OPEN
		poll all:1 all:2 all:1 all:2 all:1 all:2 all:1 all:2 all:3 ->
		  = OPEN 6+ 3 marks of 7; complete; 6 of 7 by ID
		poll all:1 all:2 all:3 ->
		  = OPEN 7; complete; 7 of 7 by ID`,
	],
	[
		'another subscription begins with a new baseline',
		TICKETS,
		`make OPEN
		poll all:1 ->
		  = OPEN 1; complete; 1 of 1 by ID
		change R1 CLOSED
		scope other
		poll all:1 ->
		  = CLOSED 1; complete; 0 of 1 by ID
		poll all:1 ->`,
	],
	[
		'after a restart with an older state, the same changes are found again, under the same numbers',
		TICKETS,
		`make OPEN OPEN
		poll all:1 ->
		  = OPEN 2; complete; 2 of 2 by ID
		change R1 CLOSED
		poll all:1 -> R1 OPEN>CLOSED 1
		  = OPEN 1, CLOSED 1; complete; 1 of 2 by ID
		restart 1
		change R2 CLOSED
		poll all:1 -> R2 OPEN>CLOSED 1, R1 OPEN>CLOSED 1
		  = CLOSED 2; complete; 0 of 2 by ID
		poll all:1 ->`,
	],
	[
		'of a list that was read in part, what was seen counts',
		{ ...TICKETS, limits: { wholePages: 3 } },
		`make OPEN*4
		poll all:1 all:2 all:1 all:2 ->
		  = OPEN 4; complete; 4 of 4 by ID
		change R4 CLOSED
		fail 2
		poll all:1 all:2 -> failed 1, R4 OPEN>CLOSED 1
		  = OPEN 3, CLOSED 1; complete; 4 of 4 by ID
		poll all:1 all:2 ->
		  = OPEN 3, CLOSED 1; complete; 3 of 4 by ID`,
	],
]);

courses('a longer list, with archives', [
	[
		'of a longer list, short lists are read completely, and one page of the others; all of it once',
		TICKETS,
		`make CLOSED*7 OPEN OPEN IN_PROGRESS
		poll all:1 lists all:1 all:2 all:3 ->
		  = OPEN 2 1 marks of 2, IN_PROGRESS 1 0 marks of 1, CLOSED 7+ 3 marks of 6; reading, page 3 of pass 1; 3 of 9 by ID
		poll lists(CLOSED:2) all:3 all:4 ->
		  = OPEN 2 1 marks of 2, IN_PROGRESS 1 0 marks of 1, CLOSED 7+ 3 marks of 7; complete; 3 of 10 by ID
		poll lists(CLOSED:3) ->
		  = OPEN 2, IN_PROGRESS 1, CLOSED 7+ 3 marks of 7; complete; 3 of 10 by ID
		poll lists ->`,
	],
	[
		'a record that left a short list is seen in its new list, or looked up',
		TICKETS,
		`make CLOSED*8 OPEN OPEN IN_PROGRESS
		poll all:1 lists all:1 all:2 all:3 ->
		  = OPEN 2 1 marks of 2, IN_PROGRESS 1 0 marks of 1, CLOSED 8+ 3 marks of 6; reading, page 3 of pass 1; 3 of 9 by ID
		poll lists(CLOSED:2) all:3 all:4 ->
		  = OPEN 2 1 marks of 2, IN_PROGRESS 1 0 marks of 1, CLOSED 8+ 4 marks of 8; complete; 3 of 11 by ID
		poll lists(CLOSED:3) ->
		  = OPEN 2, IN_PROGRESS 1, CLOSED 8+ 4 marks of 8; complete; 3 of 11 by ID
		change R9 CLOSED
		poll lists -> R9 OPEN>CLOSED 1
		  = OPEN 1, IN_PROGRESS 1, CLOSED 9+ 5 marks of 9; complete; 2 of 11 by ID
		poll lists(CLOSED:2) ->
		  = OPEN 1, IN_PROGRESS 1, CLOSED 9+ 7 marks of 9; complete; 2 of 11 by ID
		change R10 RESOLVED
		poll lists(CLOSED:3) -> R10 OPEN>RESOLVED 1
		  = IN_PROGRESS 1, RESOLVED 1, CLOSED 9+ 8 marks of 9; complete; 2 of 11 by ID
		delete R11
		poll lists get:R11 ->
		  = RESOLVED 1, CLOSED 9+ 8 marks of 9; complete; 1 of 10 by ID
		make OPEN
		poll lists(CLOSED:2) -> R12 new>OPEN 1
		  = OPEN 1, RESOLVED 1, CLOSED 9+ 8 marks of 9; complete; 2 of 11 by ID`,
	],
	[
		'a reopened record of an archive is seen in its new list',
		TICKETS,
		`${ONE_ARCHIVE}
		change R1 OPEN
		poll lists(CLOSED:3) -> R1 CLOSED>OPEN 1
		  = OPEN 2, CLOSED 7+ 3 marks of 7; complete; 2 of 9 by ID
		change R2 R3 RESOLVED
		poll lists CLOSED:2 -> R3 CLOSED>RESOLVED 1, R2 CLOSED>RESOLVED 1
		  = OPEN 2, RESOLVED 2, CLOSED 5; complete; 9 of 9 by ID
		poll lists CLOSED:2 ->`,
	],
	[
		'records that moved from one archive to another are searched for',
		TICKETS,
		`${TWO_ARCHIVES}
		change R5 RESOLVED
		poll lists RESOLVED:3 CLOSED:3 CLOSED:2 -> R5 CLOSED>RESOLVED 1
		  = OPEN 1, RESOLVED 9+ 5 marks of 9, CLOSED 7+ 4 marks of 7; complete; 1 of 17 by ID
		poll lists(CLOSED:2) ->
		change R8 R10 CLOSED
		poll lists(CLOSED:3) CLOSED:1 CLOSED:2 RESOLVED:3 RESOLVED:2 -> R10 RESOLVED>CLOSED 1, R8 RESOLVED>CLOSED 1
		  = OPEN 1, RESOLVED 7+ 4 marks of 7, CLOSED 9+ 6 marks of 9; complete; 1 of 17 by ID
		poll lists ->
		poll lists(RESOLVED:2) ->`,
	],
	[
		'in lists whose order is that of the last change, they are on the first page',
		{ ...TICKETS, order: 'updated' },
		`${SHORT_AND_ARCHIVE}
		change R5 RESOLVED
		poll lists CLOSED:2 -> R5 CLOSED>RESOLVED 1
		  = OPEN 1, RESOLVED 7+ 4 marks of 7, CLOSED 5; complete; 6 of 13 by ID
		change R2 CLOSED
		poll lists RESOLVED:2 -> R2 RESOLVED>CLOSED 1
		  = OPEN 1, RESOLVED 6, CLOSED 6+ 1 marks of 6; complete; 7 of 13 by ID
		poll lists RESOLVED:2 ->`,
	],
	[
		'in lists that begin with the oldest record, new ones are on the last page',
		{ ...TICKETS, order: 'oldest' },
		`${ONE_ARCHIVE}
		make CLOSED CLOSED
		poll lists(CLOSED:3) CLOSED:1 CLOSED:4 -> R10 new>CLOSED 1, R11 new>CLOSED 1
		  = OPEN 1, CLOSED 10+ 5 marks of 10; complete; 1 of 11 by ID
		change R9 CLOSED
		poll lists(CLOSED:4) get:R9 CLOSED:1 -> R9 OPEN>CLOSED 1
		  = CLOSED 11+ 5 marks of 10; complete; 0 of 11 by ID
		poll lists ->`,
	],
	[
		'two that changed places leave every total as it was: rotation finds them',
		TICKETS,
		`${SHORT_AND_ARCHIVE}
		swap R1 R2
		poll lists RESOLVED:2 get:R2 CLOSED:1 -> R1 CLOSED>RESOLVED 1, R2 RESOLVED>CLOSED 1
		  = OPEN 1, RESOLVED 6, CLOSED 6+ 2 marks of 5; complete; 7 of 13 by ID
		poll lists(CLOSED:2) RESOLVED:2 ->
		  = OPEN 1, RESOLVED 6, CLOSED 6+ 3 marks of 6; complete; 7 of 13 by ID
		poll lists RESOLVED:2 ->
		poll lists(CLOSED:2) RESOLVED:2 ->
		poll lists RESOLVED:2 ->
		poll lists(CLOSED:2) RESOLVED:2 ->`,
	],
	[
		'a deleted record of an archive is no reason to search',
		TICKETS,
		`${TWO_ARCHIVES}
		delete R5
		poll lists ->
		  = OPEN 1, RESOLVED 8+ 4 marks of 8, CLOSED 7+ 4 marks of 8; complete; 1 of 17 by ID
		poll lists(CLOSED:2) CLOSED:1 CLOSED:3 ->
		  = OPEN 1, RESOLVED 8+ 4 marks of 8, CLOSED 7+ 4 marks of 7; complete; 1 of 17 by ID
		make RESOLVED
		delete R7
		poll lists(CLOSED:3) CLOSED:1 CLOSED:2 -> R18 new>RESOLVED 1
		  = OPEN 1, RESOLVED 9+ 5 marks of 9, CLOSED 6; complete; 7 of 18 by ID
		poll lists CLOSED:2 ->`,
	],
	[
		'a short list that becomes an archive while one of its records changes',
		TICKETS,
		`make CLOSED*7 OPEN*3
		poll all:1 lists all:1 all:2 all:3 ->
		  = OPEN 3 1 marks of 3, CLOSED 7+ 3 marks of 6; reading, page 3 of pass 1; 3 of 9 by ID
		poll lists(CLOSED:2) all:3 all:4 ->
		  = OPEN 3 1 marks of 3, CLOSED 7+ 3 marks of 7; complete; 3 of 10 by ID
		make OPEN*5
		change R8 RESOLVED
		poll lists(CLOSED:3) OPEN:3 OPEN:2 -> R8 OPEN>RESOLVED 1, R15 new>OPEN 1, R14 new>OPEN 1, R13 new>OPEN 1, R12 new>OPEN 1, R11 new>OPEN 1
		  = OPEN 7+ 4 marks of 7, RESOLVED 1, CLOSED 7+ 3 marks of 7; complete; 1 of 15 by ID
		poll lists ->
		poll lists(CLOSED:2) ->`,
	],
]);

courses('a search that takes several polls', [
	[
		'many that moved are searched for page by page, over several polls',
		{ ...TICKETS, limits: { searchPages: 3 } },
		`make CLOSED,RESOLVED*15 OPEN
		poll all:1 lists all:1 all:2 all:3 ->
		  = OPEN 1 0 marks of 1, RESOLVED 15+ 2 marks of 4, CLOSED 15+ 2 marks of 4; reading, page 3 of pass 1; 1 of 9 by ID
		poll lists(RESOLVED:2) all:3 all:4 all:5 all:6 ->
		  = OPEN 1 0 marks of 1, RESOLVED 15+ 4 marks of 9, CLOSED 15+ 4 marks of 8; reading, page 6 of pass 1; 1 of 18 by ID
		poll lists(RESOLVED:3) all:6 all:7 all:8 all:9 ->
		  = OPEN 1 0 marks of 1, RESOLVED 15+ 6 marks of 13, CLOSED 15+ 6 marks of 13; reading, page 9 of pass 1; 1 of 27 by ID
		poll lists(RESOLVED:4) all:9 all:10 all:11 ->
		  = OPEN 1 0 marks of 1, RESOLVED 15+ 7 marks of 15, CLOSED 15+ 7 marks of 15; complete; 1 of 31 by ID
		change R3 R7 R11 R15 R19 R23 RESOLVED
		poll lists(RESOLVED:5) RESOLVED:1 RESOLVED:7 RESOLVED:2 -> R11 CLOSED>RESOLVED 1, R3 CLOSED>RESOLVED 1, R23 CLOSED>RESOLVED 1
		  = OPEN 1, RESOLVED 18+ to page 2 8 marks of 18, CLOSED 12+ 5 marks of 13; complete; 1 of 31 by ID
		poll lists(RESOLVED:6) RESOLVED:3 RESOLVED:4 RESOLVED:1 -> R7 CLOSED>RESOLVED 1, R19 CLOSED>RESOLVED 1, R15 CLOSED>RESOLVED 1
		  = OPEN 1, RESOLVED 21+ 11 marks of 21, CLOSED 9+ 2 marks of 10; complete; 1 of 31 by ID
		poll lists(RESOLVED:7) CLOSED:3 CLOSED:2 ->
		  = OPEN 1, RESOLVED 21+ 12 marks of 21, CLOSED 9+ 5 marks of 9; complete; 1 of 31 by ID
		poll lists ->
		poll lists(CLOSED:2) ->`,
	],
	[
		'more entered an archive than was read: what explains it may be in another one',
		{ ...TICKETS, limits: { searchPages: 1 } },
		`${TWO_ARCHIVES}
		change R3 R5 RESOLVED
		change R6 CLOSED
		poll lists RESOLVED:3 -> R3 CLOSED>RESOLVED 1
		  = OPEN 1, RESOLVED 9+ 5 marks of 9, CLOSED 7+ 4 marks of 8; complete; 1 of 17 by ID
		poll lists(CLOSED:2) RESOLVED:3 -> R6 RESOLVED>CLOSED 1
		  = OPEN 1, RESOLVED 8+ to page 1 4 marks of 8, CLOSED 8+ 4 marks of 9; complete; 1 of 17 by ID
		poll lists(CLOSED:3) RESOLVED:2 -> R5 CLOSED>RESOLVED 1
		  = OPEN 1, RESOLVED 9+ 5 marks of 9, CLOSED 7+ 4 marks of 9; complete; 1 of 17 by ID
		poll lists CLOSED:3 ->
		poll lists(RESOLVED:2) CLOSED:3 ->
		poll lists(RESOLVED:3) CLOSED:3 ->
		poll lists(CLOSED:all) ->`,
	],
	[
		'an outage during a search: it continues where it was',
		{ ...TICKETS, limits: { searchPages: 4 } },
		`make CLOSED,RESOLVED*12 OPEN
		poll all:1 lists all:1 all:2 all:3 ->
		  = OPEN 1 0 marks of 1, RESOLVED 12+ 2 marks of 4, CLOSED 12+ 2 marks of 4; reading, page 3 of pass 1; 1 of 9 by ID
		poll lists(RESOLVED:2) all:3 all:4 all:5 all:6 ->
		  = OPEN 1 0 marks of 1, RESOLVED 12+ 4 marks of 9, CLOSED 12+ 4 marks of 8; reading, page 6 of pass 1; 1 of 18 by ID
		poll lists(RESOLVED:3) all:6 all:7 all:8 all:9 ->
		  = OPEN 1 0 marks of 1, RESOLVED 12+ 5 marks of 12, CLOSED 12+ 6 marks of 12; complete; 1 of 25 by ID
		poll lists(RESOLVED:4) ->
		  = OPEN 1, RESOLVED 12+ 7 marks of 12, CLOSED 12+ 6 marks of 12; complete; 1 of 25 by ID
		change R3 R7 R11 R15 RESOLVED
		fail 6
		poll lists RESOLVED:6 RESOLVED:3 -> failed 1
		  = OPEN 1, RESOLVED 12+ to page 1 7 marks of 12, CLOSED 12+ 6 marks of 12; complete; 1 of 25 by ID
		poll lists(CLOSED:2) RESOLVED:2 RESOLVED:3 RESOLVED:6 RESOLVED:4 -> R15 CLOSED>RESOLVED 1, R11 CLOSED>RESOLVED 1, R7 CLOSED>RESOLVED 1
		  = OPEN 1, RESOLVED 15+ to page 4 9 marks of 15, CLOSED 9+ 6 marks of 10; complete; 1 of 25 by ID
		fail 7
		poll lists(CLOSED:2) RESOLVED:5 RESOLVED:6 CLOSED:1 CLOSED:3 -> failed 1, R3 CLOSED>RESOLVED 1
		  = OPEN 1, RESOLVED 16+ to page 4 9 marks of 15, CLOSED 8+ 6 marks of 10; complete; 1 of 25 by ID
		poll lists(CLOSED:2) RESOLVED:6 CLOSED:1 CLOSED:3 RESOLVED:3 ->
		  = OPEN 1, RESOLVED 16+ 9 marks of 15, CLOSED 8+ 6 marks of 8; complete; 1 of 25 by ID
		poll lists(CLOSED:3) RESOLVED:6 RESOLVED:3 RESOLVED:4 RESOLVED:5 ->
		  = OPEN 1, RESOLVED 16+ 9 marks of 16, CLOSED 8+ 6 marks of 8; complete; 1 of 25 by ID
		poll lists(RESOLVED:all) ->`,
	],
	[
		'a poll searches by halving with half of its pages, and page by page with the other half',
		{ ...TICKETS, limits: { searchPages: 8, backfillPages: 99 } },
		`make CLOSED,RESOLVED*30 OPEN
		poll all:1 lists all:1 all:2 all:3 all:4 all:5 all:6 all:7 all:8 all:9 all:10 all:11 all:12 all:13 all:14 all:15 all:16 all:17 all:18 all:19 all:20 all:21 ->
		  = OPEN 1 0 marks of 1, RESOLVED 30+ 15 marks of 30, CLOSED 30+ 15 marks of 30; complete; 1 of 61 by ID
		poll lists(RESOLVED:2) ->
		  = OPEN 1, RESOLVED 30+ 15 marks of 30, CLOSED 30+ 15 marks of 30; complete; 1 of 61 by ID
		change R4 R12 R20 R28 R36 R44 R52 R60 CLOSED
		poll lists(RESOLVED:3) CLOSED:13 CLOSED:6 CLOSED:9 CLOSED:3 CLOSED:2 CLOSED:4 CLOSED:5 CLOSED:7 -> R60 RESOLVED>CLOSED 1, R36 RESOLVED>CLOSED 1, R20 RESOLVED>CLOSED 1, R52 RESOLVED>CLOSED 1, R44 RESOLVED>CLOSED 1, R28 RESOLVED>CLOSED 1
		  = OPEN 1, RESOLVED 24+ 15 marks of 30, CLOSED 36+ to page 7 22 marks of 36; complete; 1 of 61 by ID
		poll lists(RESOLVED:4) CLOSED:8 CLOSED:9 CLOSED:10 CLOSED:11 CLOSED:13 CLOSED:12 RESOLVED:1 RESOLVED:8 -> R12 RESOLVED>CLOSED 1, R4 RESOLVED>CLOSED 1
		  = OPEN 1, RESOLVED 22+ 13 marks of 29, CLOSED 38+ 27 marks of 38; complete; 1 of 61 by ID
		poll lists(RESOLVED:5) RESOLVED:1 RESOLVED:8 RESOLVED:7 RESOLVED:2 ->
		  = OPEN 1, RESOLVED 22+ 13 marks of 27, CLOSED 38+ 27 marks of 38; complete; 1 of 61 by ID
		poll lists(RESOLVED:6) RESOLVED:1 RESOLVED:8 RESOLVED:7 RESOLVED:4 ->
		  = OPEN 1, RESOLVED 22+ 15 marks of 26, CLOSED 38+ 27 marks of 38; complete; 1 of 61 by ID`,
	],
	[
		'records that no list shows: once everything has been read, the total is the expected one',
		TICKETS,
		`${TWO_ARCHIVES}
		hide 1
		poll lists OPEN:2 RESOLVED:3 CLOSED:3 RESOLVED:2 CLOSED:2 ->
		  = OPEN 1, RESOLVED 9+ 4 marks of 9, CLOSED 9+ 4 marks of 9; complete; 1 of 17 by ID
		poll lists(CLOSED:2) OPEN:2 ->
		poll lists(CLOSED:3) OPEN:2 ->
		poll lists OPEN:2 ->
		poll lists(RESOLVED:2) OPEN:2 ->
		poll lists(RESOLVED:3) OPEN:2 ->`,
	],
	[
		'while nothing explains why an archive is longer, it is read to its end; the other one is not waited for',
		{ ...TICKETS, limits: { searchPages: 2 } },
		`${TWO_ARCHIVES}
		hide 1
		poll lists OPEN:2 RESOLVED:3 RESOLVED:2 ->
		  = OPEN 1, RESOLVED 9+ 4 marks of 9, CLOSED 8+ to page 1 4 marks of 8; complete; 1 of 17 by ID
		poll lists(CLOSED:2) OPEN:2 CLOSED:3 CLOSED:1 ->
		  = OPEN 1, RESOLVED 9+ 4 marks of 9, CLOSED 9+ 4 marks of 9; complete; 1 of 17 by ID
		poll lists(CLOSED:3) OPEN:2 ->
		poll lists OPEN:2 ->
		change R5 RESOLVED
		poll lists(RESOLVED:2) OPEN:2 RESOLVED:1 RESOLVED:3 -> R5 CLOSED>RESOLVED 1
		  = OPEN 1, RESOLVED 10+ 5 marks of 10, CLOSED 8+ 3 marks of 8; complete; 1 of 17 by ID
		poll lists(RESOLVED:2) OPEN:2 ->
		poll lists(RESOLVED:all) OPEN:2 ->
		poll lists(RESOLVED:3) OPEN:2 ->`,
	],
	[
		'while the list of one archive is not read, the total of another one is not believed: a record may have moved',
		TICKETS,
		`${TWO_ARCHIVES}
		poll lists ->
		poll lists(CLOSED:2) ->
		poll lists(CLOSED:3) ->
		poll lists ->
		poll lists(RESOLVED:2) ->
		poll lists(RESOLVED:3) ->
		delete R5
		poll lists(CLOSED:all) ->
		poll lists ->
		  = OPEN 1, RESOLVED 8+ 4 marks of 8, CLOSED 7+ 4 marks of 8; complete; 1 of 17 by ID`,
	],
	[
		'a record that was found may not be the only one: the list is searched once more, although it was read to its end',
		{ ...TICKETS, oddities: { hidden: 1 } },
		`make CLOSED,RESOLVED*2
		poll all:1 lists RESOLVED:2 OPEN:1 IN_PROGRESS:1 RESOLVED:1 RESOLVED:2 all:1 all:2 ->
		  = RESOLVED 2 1 marks of 2, CLOSED 3+ 1 marks of 2; reading, page 0 of pass 2; 2 of 4 by ID
		poll lists(CLOSED:2) RESOLVED:2 all:1 all:2 ->
		  = RESOLVED 2, CLOSED 3+; truncated; 2 of 4 by ID
		change R4 OPEN
		make IN_PROGRESS
		poll lists OPEN:2 IN_PROGRESS:2 RESOLVED:2 -> R4 RESOLVED>OPEN 1, R5 new>IN_PROGRESS 1
		  = OPEN 1, IN_PROGRESS 1+, RESOLVED 2+ 0 marks of 2, CLOSED 3+ 1 marks of 3; truncated; 1 of 5 by ID`,
	],
	[
		'where records have left is found out a few pages at a time, or faster if something changes',
		{ ...TICKETS, limits: { searchPages: 12, backfillPages: 99 } },
		`make RESOLVED*30 CLOSED*9 OPEN
		poll all:1 lists all:1 all:2 all:3 all:4 all:5 all:6 all:7 all:8 all:9 all:10 all:11 all:12 all:13 all:14 ->
		  = OPEN 1 0 marks of 1, RESOLVED 30+ 15 marks of 30, CLOSED 9+ 4 marks of 9; complete; 1 of 40 by ID
		poll lists(RESOLVED:2) ->
		  = OPEN 1, RESOLVED 30+ 15 marks of 30, CLOSED 9+ 4 marks of 9; complete; 1 of 40 by ID
		delete R3 R9 R15 R21 R27
		poll lists(RESOLVED:3) ->
		  = OPEN 1, RESOLVED 25+ 15 marks of 30, CLOSED 9+ 4 marks of 9; complete; 1 of 40 by ID
		poll lists(RESOLVED:4) RESOLVED:1 RESOLVED:9 RESOLVED:3 RESOLVED:7 ->
		  = OPEN 1, RESOLVED 25+ 14 marks of 29, CLOSED 9+ 4 marks of 9; complete; 1 of 40 by ID
		poll lists(RESOLVED:5) RESOLVED:1 RESOLVED:9 RESOLVED:3 RESOLVED:8 ->
		  = OPEN 1, RESOLVED 25+ 13 marks of 28, CLOSED 9+ 4 marks of 9; complete; 1 of 40 by ID
		make CLOSED
		poll lists(RESOLVED:6) RESOLVED:1 RESOLVED:9 CLOSED:4 RESOLVED:8 RESOLVED:3 RESOLVED:2 RESOLVED:4 RESOLVED:7 RESOLVED:5 -> R41 new>CLOSED 1
		  = OPEN 1, RESOLVED 25+ 17 marks of 25, CLOSED 10+ 6 marks of 10; complete; 1 of 41 by ID
		poll lists(RESOLVED:7) ->
		poll lists(RESOLVED:8) ->`,
	],
]);

courses('a status that has no list', [
	[
		'the first page of the whole list, in one of ten polls, shows records of a status that has no list',
		TICKETS,
		`make CLOSED*7 OPEN
		poll all:1 lists all:1 all:2 all:3 ->
		  = OPEN 1 0 marks of 1, CLOSED 7+ 3 marks of 7; complete; 1 of 8 by ID
		poll lists(CLOSED:2) ->
		  = OPEN 1, CLOSED 7+ 3 marks of 7; complete; 1 of 8 by ID
		make ON_HOLD
		poll lists(CLOSED:3) ->
		poll lists ->
		poll lists(CLOSED:2) ->
		poll lists(CLOSED:3) ->
		poll lists ->
		poll lists(CLOSED:2) ->
		poll lists(CLOSED:3) ->
		poll lists(CLOSED:all) -> R9 new>ON_HOLD 1
		  = OPEN 1, CLOSED 7+ 3 marks of 7; complete; 2 of 9 by ID
		poll lists get:R9 ->
		change R9 CLOSED
		poll lists(CLOSED:2) get:R9 CLOSED:1 -> R9 ON_HOLD>CLOSED 2
		  = OPEN 1, CLOSED 8+ 6 marks of 8; complete; 1 of 9 by ID
		poll lists(CLOSED:3) ->
		  = OPEN 1, CLOSED 8+ 7 marks of 8; complete; 1 of 9 by ID`,
	],
	[
		'a change between two statuses that have no list is found by looking up its record',
		TICKETS,
		`make OPEN ON_HOLD
		poll all:1 ->
		  = OPEN 1, ON_HOLD; complete; 2 of 2 by ID
		change R2 WAITING
		poll all:1 -> R2 ON_HOLD>WAITING 1
		  = OPEN 1, WAITING; complete; 2 of 2 by ID
		make CLOSED*6
		poll all:1 lists CLOSED:2 get:R2 -> R8 new>CLOSED 1, R7 new>CLOSED 1, R6 new>CLOSED 1, R5 new>CLOSED 1, R4 new>CLOSED 1, R3 new>CLOSED 1
		  = OPEN 1, CLOSED 6; complete; 8 of 8 by ID
		poll lists CLOSED:2 get:R2 ->
		change R2 ON_HOLD
		poll lists CLOSED:2 get:R2 -> R2 WAITING>ON_HOLD 2
		poll lists CLOSED:2 get:R2 ->`,
	],
	[
		'of several records in no list, one after the other is looked up',
		TICKETS,
		`make ON_HOLD ON_HOLD WAITING
		poll all:1 ->
		  = ON_HOLD, WAITING; complete; 3 of 3 by ID
		make CLOSED*6
		poll all:1 lists CLOSED:2 get:R3 -> R9 new>CLOSED 1, R8 new>CLOSED 1, R7 new>CLOSED 1, R6 new>CLOSED 1, R5 new>CLOSED 1, R4 new>CLOSED 1
		  = CLOSED 6; complete; 9 of 9 by ID
		poll lists CLOSED:2 get:R2 ->
		poll lists CLOSED:2 get:R1 ->
		poll lists CLOSED:2 get:R3 ->
		poll lists CLOSED:2 get:R2 ->
		delete R1
		change R2 OPEN
		poll lists CLOSED:2 get:R1 -> R2 ON_HOLD>OPEN 1
		  = OPEN 1, CLOSED 6; complete; 8 of 8 by ID
		poll lists CLOSED:2 get:R3 ->
		poll lists CLOSED:2 get:R3 ->`,
	],
	[
		'broadcasts: a status in no list is tracked by ID',
		{ source: { ...broadcasts, pageSize: 2 }, limits: { extraPages: 2 } },
		`make COMPLETED*3 FAILED QUEUED SENDING
		poll all:1 lists COMPLETED:2 COMPLETED:1 COMPLETED:2 all:1 all:2 all:3 ->
		  = COMPLETED 3 1 marks of 3, FAILED 1 0 marks of 1, QUEUED 1 0 marks of 1; complete; 6 of 6 by ID
		poll lists COMPLETED:2 get:R6 ->
		  = COMPLETED 3, FAILED 1, QUEUED 1; complete; 6 of 6 by ID
		change R6 COMPLETED
		change R5 PROCESSING
		poll lists COMPLETED:2 -> R5 QUEUED>PROCESSING 1, R6 SENDING>COMPLETED 1
		  = COMPLETED 4, FAILED 1, PROCESSING 1; complete; 6 of 6 by ID
		poll lists COMPLETED:2 ->`,
	],
]);

courses('lookups', [
	[
		'more records left than one poll may look up: the next polls look up the others',
		{ ...TICKETS, order: 'oldest', limits: { searchPages: 0 } },
		`make CLOSED*7 OPEN*5
		poll all:1 lists OPEN:2 OPEN:1 OPEN:2 all:1 all:2 all:3 ->
		  = OPEN 5 1 marks of 2, CLOSED 7+ 3 marks of 7; reading, page 3 of pass 1; 5 of 12 by ID
		poll lists(CLOSED:2) OPEN:2 all:3 all:4 ->
		  = OPEN 5 2 marks of 5, CLOSED 7+ 3 marks of 7; complete; 5 of 12 by ID
		poll lists(CLOSED:3) OPEN:2 ->
		  = OPEN 5, CLOSED 7+ 3 marks of 7; complete; 5 of 12 by ID
		change R8 R9 R10 R11 R12 CLOSED
		poll lists get:R9 get:R10 CLOSED:1 -> R9 OPEN>CLOSED 1, R10 OPEN>CLOSED 1
		  = OPEN 3, CLOSED 9+ to page 1 3 marks of 7; complete; 3 of 12 by ID
		poll lists(CLOSED:2) get:R11 get:R12 CLOSED:1 -> R11 OPEN>CLOSED 1, R12 OPEN>CLOSED 1
		  = OPEN 1, CLOSED 11+ to page 2 3 marks of 7; complete; 1 of 12 by ID
		poll lists(CLOSED:2) get:R8 CLOSED:1 -> R8 OPEN>CLOSED 1
		  = CLOSED 12+ 3 marks of 7; complete; 0 of 12 by ID
		poll lists(CLOSED:3) ->`,
	],
	[
		'a record whose lookup is rejected delays no other; one that no longer exists is forgotten',
		TICKETS,
		`make OPEN*3
		poll all:1 ->
		  = OPEN 3; complete; 3 of 3 by ID
		reject R1 403
		delete R2
		delete R1
		poll all:1 get:R2 get:R1 ->
		  = OPEN 1; complete; 2 of 2 by ID
		poll all:1 get:R1 ->`,
	],
	[
		'records that cannot be looked up are passed over in turn, and keep their status',
		TICKETS,
		`make OPEN*5
		poll all:1 lists OPEN:2 OPEN:1 OPEN:2 all:1 all:2 ->
		  = OPEN 5 2 marks of 5; complete; 5 of 5 by ID
		reject R1 400
		reject R2 403
		reject R3 410
		delete R1 R2 R3 R4
		poll lists get:R3 get:R2 ->
		  = OPEN 5; complete; 5 of 5 by ID
		poll lists get:R1 get:R4 ->
		  = OPEN 4; complete; 4 of 4 by ID
		poll lists get:R3 get:R2 ->
		poll lists get:R1 get:R3 ->`,
	],
	[
		'an outage during lookups resolves the others; those left are looked up next time',
		TICKETS,
		`make OPEN OPEN
		poll all:1 ->
		  = OPEN 2; complete; 2 of 2 by ID
		delete R1 R2
		fail 2
		poll all:1 get:R2 get:R1 -> failed 1
		  = complete; 2 of 2 by ID
		fail 3
		poll all:1 get:R2 get:R1 -> failed 2
		  = complete; 1 of 1 by ID
		poll all:1 get:R1 ->
		  = complete; 0 of 0 by ID`,
	],
]);

courses('reading a long list once', [
	[
		'a rate limit during the backfill is no outage',
		TICKETS,
		`make CLOSED*13 OPEN
		fail 7 429
		poll all:1 lists all:1 all:2 all:3 ->
		  = OPEN 1 0 marks of 1, CLOSED 13+ 1 marks of 2; reading, page 1 of pass 1; 1 of 4 by ID
		poll lists(CLOSED:2) all:1 all:2 all:3 all:4 ->
		  = OPEN 1 0 marks of 1, CLOSED 13+ 5 marks of 11; reading, page 4 of pass 1; 1 of 12 by ID
		poll lists(CLOSED:3) all:4 all:5 ->
		  = OPEN 1 0 marks of 1, CLOSED 13+ 6 marks of 13; complete; 1 of 14 by ID
		poll lists(CLOSED:4) ->
		  = OPEN 1, CLOSED 13+ 7 marks of 13; complete; 1 of 14 by ID`,
	],
	[
		'a record that disappears while the list is read once makes it be read again',
		TICKETS,
		`${HALF_READ}
		delete R14
		poll lists(CLOSED:2) get:R14 all:3 all:4 all:5 ->
		  = OPEN 0 0 marks of 1, CLOSED 13+ 6 marks of 12; reading, page 0 of pass 2; 0 of 12 by ID
		poll lists(CLOSED:3) all:1 all:2 all:3 ->
		  = CLOSED 13+ 4 marks of 9; reading, page 3 of pass 2; 0 of 13 by ID
		poll lists(CLOSED:4) all:3 all:4 all:5 ->
		  = CLOSED 13+ 6 marks of 13; complete; 0 of 13 by ID
		poll lists(CLOSED:5) ->`,
	],
	[
		'records that are created between two parts of the reading are recognized by rows that occur again',
		TICKETS,
		`${HALF_READ}
		make OPEN
		poll lists(CLOSED:2) all:3 all:4 all:5 -> R15 new>OPEN 1
		  = OPEN 2 0 marks of 1, CLOSED 13+ 7 marks of 14; complete; 2 of 15 by ID
		poll lists(CLOSED:3) ->
		  = OPEN 2, CLOSED 13+ 7 marks of 13; complete; 2 of 15 by ID`,
	],
	[
		'a list that becomes shorter between two parts of its reading is read again; then the rest is dropped',
		TICKETS,
		`${HALF_READ}
		delete R13
		poll lists(CLOSED:2) all:3 all:4 all:5 ->
		  = OPEN 1 0 marks of 1, CLOSED 13+ 6 marks of 12; reading, page 0 of pass 2; 1 of 13 by ID
		poll lists(CLOSED:3) all:1 all:2 all:3 ->
		  = OPEN 1 0 marks of 1, CLOSED 13+ 4 marks of 8; reading, page 3 of pass 2; 1 of 14 by ID
		delete R12
		poll lists(CLOSED:4) all:3 all:4 ->
		  = OPEN 1, CLOSED 13+; truncated; 1 of 14 by ID
		poll lists(CLOSED:5) ->
		  = OPEN 1, CLOSED 11+ 0 marks of 11; truncated; 1 of 14 by ID
		poll lists(CLOSED:2) ->
		  = OPEN 1, CLOSED 11+ 2 marks of 11; truncated; 1 of 14 by ID`,
	],
	[
		'a list that becomes longer while a part of it is read: rows occur again, as many as it grew by',
		TICKETS,
		`make CLOSED*13 OPEN
		during 7: make OPEN
		poll all:1 lists all:1 all:2 all:3 ->
		  = OPEN 1 0 marks of 1, CLOSED 13+ 3 marks of 7; reading, page 3 of pass 1; 1 of 8 by ID
		during 6: make CLOSED
		poll lists(CLOSED:2) all:3 all:4 all:5 -> R15 new>OPEN 1
		  = OPEN 2 0 marks of 1, CLOSED 13+ 6 marks of 13; reading, page 5 of pass 1; 2 of 14 by ID
		poll lists(CLOSED:3) all:5 all:6 ->
		  = OPEN 2 0 marks of 1, CLOSED 13+ 6 marks of 14; reading, page 0 of pass 2; 2 of 15 by ID
		poll lists(CLOSED:4) all:1 all:2 all:3 ->
		  = OPEN 2 1 marks of 2, CLOSED 13+ 3 marks of 7; reading, page 3 of pass 2; 2 of 16 by ID`,
	],
	[
		'a record leaves and another one enters between two parts: it is new when it is found',
		TICKETS,
		`make CLOSED*13 OPEN
		during 8: delete R14
		during 8: make OPEN
		poll all:1 lists all:1 all:2 all:3 ->
		  = OPEN 1 0 marks of 1, CLOSED 13+ 4 marks of 8; reading, page 3 of pass 1; 1 of 9 by ID
		delete R13
		make CLOSED
		poll lists(CLOSED:2) get:R14 all:3 all:4 all:5 -> R15 new>OPEN 1
		  = OPEN 1 0 marks of 1, CLOSED 13+ 6 marks of 13; complete; 1 of 14 by ID
		poll lists(CLOSED:3) ->
		  = OPEN 1, CLOSED 13+ 6 marks of 13; complete; 1 of 14 by ID
		poll lists(CLOSED:4) ->
		poll lists(CLOSED:5) ->
		poll lists -> R16 new>CLOSED 1
		  = OPEN 1, CLOSED 13+ 6 marks of 13; complete; 1 of 15 by ID`,
	],
	[
		'a list that becomes much shorter while it is read once',
		TICKETS,
		`${HALF_READ}
		delete R5 R6 R7 R8 R9 R10 R11 R12 R13
		poll lists(CLOSED:2) CLOSED:1 all:3 ->
		  = OPEN 1 0 marks of 1, CLOSED 13+ 4 marks of 8; reading, page 0 of pass 2; 1 of 13 by ID
		poll lists(CLOSED:3) CLOSED:1 CLOSED:2 all:1 all:2 ->
		  = OPEN 1 0 marks of 1, CLOSED 4 2 marks of 4; complete; 5 of 13 by ID
		poll lists CLOSED:2 ->
		  = OPEN 1, CLOSED 4; complete; 5 of 13 by ID`,
	],
	[
		'while the list is read once, changes are found, and nothing is searched for',
		TICKETS,
		`make CLOSED*13 RESOLVED*5 OPEN
		poll all:1 lists RESOLVED:2 RESOLVED:1 RESOLVED:2 all:1 all:2 all:3 ->
		  = OPEN 1 0 marks of 1, RESOLVED 5 2 marks of 5, CLOSED 13+ 1 marks of 3; reading, page 3 of pass 1; 6 of 9 by ID
		change R19 IN_PROGRESS
		change R1 RESOLVED
		poll lists(CLOSED:2) RESOLVED:2 all:3 all:4 all:5 all:6 -> R19 OPEN>IN_PROGRESS 1, R1 new>RESOLVED 1
		  = OPEN 0 0 marks of 1, IN_PROGRESS 1, RESOLVED 6 2 marks of 5, CLOSED 13+ 5 marks of 12; reading, page 6 of pass 1; 7 of 19 by ID
		poll lists(CLOSED:3) RESOLVED:2 all:6 all:7 ->
		  = OPEN 0 0 marks of 1, IN_PROGRESS 1, RESOLVED 6 2 marks of 6, CLOSED 13+ 5 marks of 12; complete; 7 of 19 by ID
		poll lists(CLOSED:4) RESOLVED:2 ->
		  = IN_PROGRESS 1, RESOLVED 6, CLOSED 12+ 7 marks of 12; complete; 7 of 19 by ID
		poll lists RESOLVED:2 ->`,
	],
]);

courses('records that were dropped', [
	[
		'the first poll tracks every record that it sees, also in lists that it does not read to their end',
		{ ...TICKETS, oddities: { totals: false }, limits: { backfillRecords: 4 } },
		`make CLOSED,RESOLVED*3 OPEN
		poll all:1 lists RESOLVED:2 RESOLVED:1 RESOLVED:2 all:1 all:2 ->
		  = OPEN 1, RESOLVED 3, CLOSED ?; truncated; 4 of 7 by ID`,
	],
	[
		'of a list that is too long, the rest is not read; only proven entries are new',
		{ ...TICKETS, limits: { backfillRecords: 6 } },
		`${TRUNCATED}
		make CLOSED
		poll lists(CLOSED:3) CLOSED:1 CLOSED:4 CLOSED:2 -> R13 new>CLOSED 1
		  = OPEN 1, CLOSED 12+ 8 marks of 12; truncated; 1 of 13 by ID
		change R12 CLOSED
		poll lists(CLOSED:4) get:R12 CLOSED:1 -> R12 OPEN>CLOSED 1
		  = CLOSED 13+ 11 marks of 13; truncated; 0 of 13 by ID
		change R1 OPEN
		poll lists(CLOSED:5) -> R1 CLOSED>OPEN 1
		  = OPEN 1, CLOSED 12+ 10 marks of 12; truncated; 1 of 13 by ID
		change R2 OPEN
		make OPEN
		poll lists(CLOSED:2) -> R2 CLOSED>OPEN 1, R14 new>OPEN 4
		  = OPEN 3, CLOSED 11+ 10 marks of 11; truncated; 3 of 14 by ID
		poll lists(CLOSED:3) ->`,
	],
	[
		'of records that no longer fit, those that changed long ago are dropped; one that then enters a short list is new',
		{ ...TICKETS, limits: { characters: 60, recentRecords: 2 } },
		`make CLOSED*11 OPEN
		poll all:1 lists all:1 all:2 all:3 ->
		  = OPEN 1, CLOSED 11+; truncated; 1 of 1 by ID
		poll lists(CLOSED:2) ->
		  = OPEN 1, CLOSED 11+ 2 marks of 11; truncated; 1 of 1 by ID
		change R1 OPEN
		poll lists(CLOSED:3) -> R1 new>OPEN 1
		  = OPEN 2, CLOSED 10+ 2 marks of 11; truncated; 2 of 2 by ID
		change R12 CLOSED
		poll lists(CLOSED:4) get:R12 CLOSED:1 -> R12 OPEN>CLOSED 2
		  = OPEN 1, CLOSED 11+ 2 marks of 12; truncated; 1 of 1 by ID
		make CLOSED OPEN
		poll lists CLOSED:4 CLOSED:2 CLOSED:3 -> R14 new>OPEN 3
		  = OPEN 2, CLOSED 12+; truncated; 2 of 2 by ID
		poll lists(CLOSED:2) ->
		  = OPEN 2, CLOSED 12+ 2 marks of 12; truncated; 2 of 2 by ID`,
	],
	[
		'after records were dropped, an outage leaves the decision about an unknown record to the next poll',
		{ ...TICKETS, limits: { backfillRecords: 6 } },
		`make CLOSED*11 OPEN OPEN
		poll all:1 lists all:1 all:2 ->
		  = OPEN 2, CLOSED 11+; truncated; 2 of 6 by ID
		poll lists(CLOSED:2) ->
		  = OPEN 2, CLOSED 11+ 2 marks of 11; truncated; 2 of 8 by ID
		make OPEN
		delete R12
		fail 5
		poll lists(CLOSED:3) get:R12 -> failed 1, R14 new>OPEN 1
		  = OPEN 3, CLOSED 11+ 2 marks of 11; truncated; 3 of 9 by ID
		poll lists(CLOSED:4) get:R12 ->
		  = OPEN 2, CLOSED 11+ 3 marks of 11; truncated; 2 of 10 by ID
		make CLOSED
		fail 6
		poll lists CLOSED:4 CLOSED:2 -> failed 1
		poll lists(CLOSED:2) CLOSED:1 CLOSED:4 -> R15 new>CLOSED 2
		  = OPEN 2, CLOSED 12+ 8 marks of 12; truncated; 2 of 12 by ID`,
	],
	[
		'nor does an outage prove that every record of an archive is known that became short meanwhile',
		{ ...TICKETS, limits: { characters: 60, recentRecords: 2 } },
		`make CLOSED*11 OPEN
		poll all:1 lists all:1 all:2 all:3 ->
		  = OPEN 1, CLOSED 11+; truncated; 1 of 1 by ID
		poll lists(CLOSED:2) ->
		  = OPEN 1, CLOSED 11+ 2 marks of 11; truncated; 1 of 1 by ID
		poll lists(CLOSED:3) ->
		  = OPEN 1, CLOSED 11+ 3 marks of 11; truncated; 1 of 1 by ID
		poll lists(CLOSED:4) ->
		  = OPEN 1, CLOSED 11+; truncated; 1 of 1 by ID
		delete R3 R4 R5 R6 R7 R8 R9 R10 R11 R12
		fail 5
		poll lists get:R12 -> failed 1
		poll lists(CLOSED:2) CLOSED:1 get:R12 ->
		  = CLOSED 11+; truncated; 0 of 2 by ID
		poll lists(CLOSED:3) CLOSED:1 ->
		  = CLOSED 2; truncated; 2 of 2 by ID`,
	],
	[
		'after records were dropped, an unknown record of a status without a list',
		{ ...TICKETS, limits: { backfillRecords: 6 } },
		`${ALL_SEEN}
		make ON_HOLD CLOSED
		poll lists -> R14 new>CLOSED 1
		  = OPEN 1, CLOSED 12+ 6 marks of 12; truncated; 1 of 13 by ID
		poll lists(CLOSED:all) ->
		  = OPEN 1, CLOSED 12+ 6 marks of 12; truncated; 2 of 14 by ID
		poll lists(CLOSED:2) get:R13 ->
		  = OPEN 1, CLOSED 12+ 8 marks of 12; truncated; 2 of 14 by ID`,
	],
	[
		'a new record that only the whole list has shown is decided on by the list of its status',
		{ ...TICKETS, limits: { backfillRecords: 6 } },
		`${ALL_SEEN}
		poll lists ->
		make CLOSED
		poll lists(CLOSED:all) ->
		poll lists(CLOSED:2) CLOSED:1 CLOSED:4 -> R13 new>CLOSED 1
		  = OPEN 1, CLOSED 12+ 10 marks of 12; truncated; 1 of 13 by ID
		poll lists(CLOSED:3) ->
		  = OPEN 1, CLOSED 12+ 11 marks of 12; truncated; 1 of 13 by ID`,
	],
	[
		'a new record in an archive whose order is not known yet',
		{ ...TICKETS, limits: { backfillRecords: 6 } },
		`make CLOSED*11 OPEN
		poll all:1 lists all:1 all:2 ->
		  = OPEN 1, CLOSED 11+; truncated; 1 of 6 by ID
		make CLOSED
		poll lists(CLOSED:2) CLOSED:1 CLOSED:4 CLOSED:3 ->
		  = OPEN 1, CLOSED 12+ 6 marks of 12; truncated; 1 of 13 by ID
		poll lists(CLOSED:3) ->
		poll lists(CLOSED:4) ->`,
	],
]);

courses('outages and rejections', [
	[
		'an outage changes nothing and repeats nothing; after the fifth in a row, it is reported',
		TICKETS,
		`make OPEN OPEN CLOSED
		fail 1
		poll all:1 -> failed 1
		poll all:1 ->
		  = OPEN 2, CLOSED 1; complete; 2 of 3 by ID
		change R1 CLOSED
		fail 1
		poll all:1 -> failed 1
		fail 1
		poll all:1 -> failed 2
		fail 1
		poll all:1 -> failed 3
		fail 1
		poll all:1 -> failed 4
		fail 1
		poll all:1 -> failed 5 with an error
		poll all:1 -> R1 OPEN>CLOSED 1
		  = OPEN 1, CLOSED 2; complete; 1 of 3 by ID
		poll all:1 ->`,
	],
	[
		'a permanent rejection is reported at once',
		TICKETS,
		`make OPEN
		poll all:1 ->
		  = OPEN 1; complete; 1 of 1 by ID
		fail 1 403
		poll all:1 -> failed 1 with an error
		poll all:1 ->`,
	],
	[
		'an outage in the middle of a poll leaves the rest to the next one',
		TICKETS,
		`make CLOSED*8 OPEN OPEN
		poll all:1 lists all:1 all:2 all:3 ->
		  = OPEN 2 1 marks of 2, CLOSED 8+ 3 marks of 7; reading, page 3 of pass 1; 2 of 9 by ID
		poll lists(CLOSED:2) all:3 all:4 ->
		  = OPEN 2 1 marks of 2, CLOSED 8+ 3 marks of 8; complete; 2 of 10 by ID
		change R9 CLOSED
		change R10 IN_PROGRESS
		make OPEN
		fail 3
		poll lists(CLOSED:3) -> failed 1, R10 OPEN>IN_PROGRESS 1, R11 new>OPEN 1
		  = OPEN 2, IN_PROGRESS 1, CLOSED 8+ 3 marks of 8; complete; 3 of 11 by ID
		fail 5
		poll lists -> R9 OPEN>CLOSED 1
		  = OPEN 1, IN_PROGRESS 1, CLOSED 9+ 4 marks of 9; complete; 2 of 11 by ID
		poll lists(CLOSED:2) ->
		  = OPEN 1, IN_PROGRESS 1, CLOSED 9+ 6 marks of 9; complete; 2 of 11 by ID`,
	],
	[
		'a first poll that fails takes no baseline',
		TICKETS,
		`make CLOSED*4 OPEN
		fail 3
		poll all:1 lists -> failed 1
		poll all:1 lists CLOSED:2 CLOSED:1 CLOSED:2 all:1 all:2 ->
		  = OPEN 1 0 marks of 1, CLOSED 4 2 marks of 4; complete; 5 of 5 by ID`,
	],
]);

courses('filters and details', [
	[
		'a filter applies from its first complete poll on, together with the old one',
		TICKETS,
		`make OPEN*3
		filter new CLOSED
		poll all:1 ->
		  = OPEN 3; complete; 3 of 3 by ID
		change R1 IN_PROGRESS
		poll all:1 ->
		  = OPEN 2, IN_PROGRESS 1; complete; 3 of 3 by ID
		filter new IN_PROGRESS
		change R1 CLOSED
		change R2 IN_PROGRESS
		poll all:1 ->
		  = OPEN 1, IN_PROGRESS 1, CLOSED 1; complete; 2 of 3 by ID
		change R3 IN_PROGRESS
		poll all:1 -> R3 OPEN>IN_PROGRESS 1
		  = IN_PROGRESS 2, CLOSED 1; complete; 2 of 3 by ID
		filter IN_PROGRESS
		poll all:1 ->
		make IN_PROGRESS
		poll all:1 lists ->
		  = IN_PROGRESS 3, CLOSED 1; complete; 4 of 4 by ID
		filter CLOSED
		change R2 CLOSED
		fail 1
		poll lists -> failed 1
		poll lists ->
		  = IN_PROGRESS 2, CLOSED 2; complete; 4 of 4 by ID
		poll lists ->`,
	],
	[
		'a record that no longer matches the filter is not tracked by its ID, and reports nothing until it does again',
		{ ...TICKETS, scopeQuery: { assigneeId: 'A1' } },
		`make OPEN*3
		poll assigneeId=A1:1 ->
		  = OPEN 3; complete; 3 of 3 by ID
		assign R1 A2
		poll assigneeId=A1:1 get:R1 ->
		  = OPEN 2; complete; 2 of 3 by ID
		change R1 CLOSED
		poll assigneeId=A1:1 ->
		assign R1 A1
		poll assigneeId=A1:1 -> R1 OPEN>CLOSED 1
		  = OPEN 2, CLOSED 1; complete; 2 of 3 by ID`,
	],
	[
		'changed records are fetched in full if details are included; one that cannot be is withheld',
		{ ...TICKETS, details: true },
		`make OPEN*3
		poll all:1 ->
		  = OPEN 3; complete; 3 of 3 by ID
		change R1 CLOSED
		poll all:1 get:R1 -> R1 OPEN>CLOSED 1
		  = OPEN 2, CLOSED 1; complete; 2 of 3 by ID
		change R2 CLOSED
		change R3 CLOSED
		fail 2
		poll all:1 get:R3 get:R2 -> failed 1
		  = CLOSED 3; complete; 2 of 3 by ID
		poll all:1 get:R3 get:R2 -> R3 OPEN>CLOSED 1, R2 OPEN>CLOSED 1
		  = CLOSED 3; complete; 0 of 3 by ID
		reject R1 404
		change R1 OPEN
		poll all:1 get:R1 -> R1 CLOSED>OPEN 2
		  = OPEN 1, CLOSED 2; complete; 1 of 3 by ID
		reject R2 403
		change R2 R3 OPEN
		poll all:1 get:R3 get:R2 -> R3 CLOSED>OPEN 2, R2 CLOSED>OPEN 2
		  = OPEN 3; complete; 3 of 3 by ID`,
	],
	[
		'details are fetched only of changes that become events',
		{ ...TICKETS, details: true },
		`make OPEN*3
		filter new CLOSED
		poll all:1 ->
		  = OPEN 3; complete; 3 of 3 by ID
		change R1 IN_PROGRESS
		change R2 CLOSED
		make OPEN
		poll all:1 lists get:R2 -> R2 OPEN>CLOSED 1
		  = OPEN 2, IN_PROGRESS 1, CLOSED 1; complete; 4 of 4 by ID
		poll lists ->`,
	],
	[
		'a record that was looked up is not fetched again for its details',
		{ ...TICKETS, details: true },
		`${ONE_ARCHIVE}
		change R9 CLOSED
		make CLOSED*3
		poll lists(CLOSED:3) get:R9 CLOSED:1 get:R12 get:R11 get:R10 -> R9 OPEN>CLOSED 1, R12 new>CLOSED 1, R11 new>CLOSED 1, R10 new>CLOSED 1
		  = CLOSED 12+ 4 marks of 11; complete; 0 of 12 by ID
		poll lists(CLOSED:4) ->`,
	],
	[
		'a withheld change in an archive is missing again in the next poll',
		{ ...TICKETS, details: true },
		`${ONE_ARCHIVE}
		make CLOSED
		change R1 OPEN
		fail 5
		poll lists(CLOSED:3) CLOSED:1 -> failed 1
		poll lists get:R1 get:R10 -> R1 CLOSED>OPEN 1, R10 new>CLOSED 1
		  = OPEN 2, CLOSED 8+ 4 marks of 8; complete; 2 of 10 by ID
		poll lists(CLOSED:2) ->
		  = OPEN 2, CLOSED 8+ 6 marks of 8; complete; 2 of 10 by ID`,
	],
	[
		'a withheld change in an archive that was read counts as not found, too',
		{ ...TICKETS, details: true },
		`${ONE_ARCHIVE}
		poll lists(CLOSED:3) ->
		make CLOSED
		fail 5
		poll lists get:R10 -> failed 1
		poll lists(CLOSED:2) CLOSED:1 CLOSED:3 get:R10 -> R10 new>CLOSED 1
		  = OPEN 1, CLOSED 9+ 8 marks of 9; complete; 1 of 10 by ID
		poll lists(CLOSED:3) ->`,
	],
]);

courses('chats and import jobs', [
	[
		'chats: only the escalated ones are listed; one that left is looked up with the opposite filter',
		{ source: chats },
		`make ESCALATED NOT_ESCALATED NOT_ESCALATED
		poll needsEscalation=true:1 ->
		  = ESCALATED; complete; 1 of 1 by ID
		change R2 ESCALATED
		poll needsEscalation=true:1 -> R2 NOT_ESCALATED>ESCALATED 1
		  = ESCALATED; complete; 2 of 2 by ID
		change R1 NOT_ESCALATED
		poll needsEscalation=true:1 get:R1 needsEscalation=false&contactId=contact of R1:1 -> R1 ESCALATED>NOT_ESCALATED 1
		  = ESCALATED; complete; 1 of 2 by ID
		delete R2
		poll needsEscalation=true:1 get:R2 ->
		  = ESCALATED; complete; 0 of 1 by ID
		poll needsEscalation=true:1 ->`,
	],
	[
		'chats of an agent: those that were escalated to another one are known, and not reported',
		{ source: chats, scopeQuery: { assigneeId: 'A1' } },
		`make ESCALATED ESCALATED NOT_ESCALATED
		assign R2 A2
		poll needsEscalation=true:1 needsEscalation=true&assigneeId=A1:1 ->
		  = ESCALATED, ESCALATED_ELSEWHERE; complete; 2 of 2 by ID
		assign R2 A1
		poll needsEscalation=true:1 needsEscalation=true&assigneeId=A1:1 ->
		change R3 ESCALATED
		poll needsEscalation=true:1 needsEscalation=true&assigneeId=A1:1 -> R3 NOT_ESCALATED>ESCALATED 1
		  = ESCALATED, ESCALATED_ELSEWHERE; complete; 3 of 3 by ID
		assign R1 A2
		poll needsEscalation=true:1 needsEscalation=true&assigneeId=A1:1 ->
		change R1 NOT_ESCALATED
		poll needsEscalation=true:1 needsEscalation=true&assigneeId=A1:1 get:R1 needsEscalation=false&contactId=contact of R1:1 ->
		  = ESCALATED, ESCALATED_ELSEWHERE; complete; 2 of 3 by ID
		change R3 NOT_ESCALATED
		poll needsEscalation=true:1 needsEscalation=true&assigneeId=A1:1 get:R3 needsEscalation=false&contactId=contact of R3:1 -> R3 ESCALATED>NOT_ESCALATED 2
		  = ESCALATED, ESCALATED_ELSEWHERE; complete; 1 of 3 by ID`,
	],
	[
		'chats: an outage in one of two lists',
		{ source: { ...chats, pageSize: 2 }, scopeQuery: { assigneeId: 'A1' } },
		`make ESCALATED*3
		assign R1 A2
		fail 2
		poll needsEscalation=true:1 needsEscalation=true:2 -> failed 1
		fail 3
		poll needsEscalation=true:1 needsEscalation=true:2 needsEscalation=true:1 -> failed 2
		poll needsEscalation=true:1 needsEscalation=true:2 needsEscalation=true:1 needsEscalation=true:2 needsEscalation=true&assigneeId=A1:1 ->
		  = ESCALATED, ESCALATED_ELSEWHERE; complete; 3 of 3 by ID
		make ESCALATED
		fail 3
		poll needsEscalation=true:1 needsEscalation=true:2 needsEscalation=true&assigneeId=A1:1 -> failed 1
		fail 1
		poll needsEscalation=true:1 -> failed 2
		  = ESCALATED; complete; 3 of 3 by ID
		poll needsEscalation=true:1 needsEscalation=true:2 needsEscalation=true&assigneeId=A1:1 needsEscalation=true&assigneeId=A1:2 -> R4 NOT_ESCALATED>ESCALATED 1
		  = ESCALATED, ESCALATED_ELSEWHERE; complete; 4 of 4 by ID`,
	],
	[
		'chats: several pages, and a chat that cannot be read',
		{ source: { ...chats, pageSize: 2 } },
		`make ESCALATED*5
		poll needsEscalation=true:1 needsEscalation=true:2 needsEscalation=true:3 needsEscalation=true:1 needsEscalation=true:2 needsEscalation=true:3 ->
		  = ESCALATED; complete; 5 of 5 by ID
		reject R2 403
		change R2 NOT_ESCALATED
		change R3 NOT_ESCALATED
		poll needsEscalation=true:1 needsEscalation=true:2 get:R3 get:R2 needsEscalation=false&contactId=contact of R3:1 -> R3 ESCALATED>NOT_ESCALATED 1
		  = ESCALATED; complete; 4 of 5 by ID
		accept R2
		poll needsEscalation=true:1 needsEscalation=true:2 get:R2 needsEscalation=false&contactId=contact of R2:1 -> R2 ESCALATED>NOT_ESCALATED 1
		  = ESCALATED; complete; 3 of 5 by ID
		poll needsEscalation=true:1 needsEscalation=true:2 ->`,
	],
	[
		'chats: a list that changed during each first reading may lack some; one that leaves it is looked up even so',
		{ source: { ...chats, pageSize: 2 } },
		`make ESCALATED*3
		during 2: make ESCALATED
		during 4: make ESCALATED
		during 6: make ESCALATED
		poll needsEscalation=true:1 needsEscalation=true:2 needsEscalation=true:1 needsEscalation=true:2 needsEscalation=true:1 needsEscalation=true:2 needsEscalation=true:3 ->
		  = complete; 5 of 5 by ID
		change R2 NOT_ESCALATED
		poll needsEscalation=true:1 needsEscalation=true:2 needsEscalation=true:3 get:R2 needsEscalation=false&contactId=contact of R2:1 -> R2 ESCALATED>NOT_ESCALATED 1, R6 NOT_ESCALATED>ESCALATED 1
		  = complete; 5 of 6 by ID
		poll needsEscalation=true:1 needsEscalation=true:2 needsEscalation=true:3 ->
		  = ESCALATED; complete; 5 of 6 by ID`,
	],
	[
		'import jobs: the recent ones are one list; an older one is looked up until it has ended',
		{ source: { ...importJobs, pageSize: 2 } },
		`make queued processing
		poll all ->
		  = complete; 2 of 2 by ID
		change R1 processing
		poll all -> R1 queued>processing 1
		make queued queued
		poll all get:R2 -> R4 new>queued 1, R3 new>queued 1
		  = complete; 4 of 4 by ID
		change R1 completed
		poll all get:R1 -> R1 processing>completed 2
		  = complete; 3 of 4 by ID
		change R2 failed
		poll all get:R2 -> R2 processing>failed 1
		  = complete; 2 of 4 by ID
		poll all ->`,
	],
	[
		'import jobs: a full list may lack older jobs',
		{ source: { ...importJobs, pageSize: 3 } },
		`make queued queued
		poll all ->
		  = queued; complete; 2 of 2 by ID
		make queued
		poll all -> R3 new>queued 1
		  = queued; complete; 3 of 3 by ID
		make queued*3
		poll all get:R3 -> R6 new>queued 1, R5 new>queued 1, R4 new>queued 1
		  = queued; complete; 6 of 6 by ID
		fail 1
		poll all -> failed 1
		  = complete; 6 of 6 by ID
		change R1 R2 completed
		poll all get:R2 -> R2 queued>completed 1
		  = complete; 5 of 6 by ID
		poll all get:R1 -> R1 queued>completed 1
		  = complete; 4 of 6 by ID`,
	],
	[
		'chats: what a list shows that was read in part',
		{ source: { ...chats, pageSize: 2 }, scopeQuery: { assigneeId: 'A1' } },
		`make ESCALATED*3
		poll needsEscalation=true:1 needsEscalation=true:2 needsEscalation=true:1 needsEscalation=true:2 needsEscalation=true&assigneeId=A1:1 needsEscalation=true&assigneeId=A1:2 needsEscalation=true&assigneeId=A1:1 needsEscalation=true&assigneeId=A1:2 ->
		  = ESCALATED, ESCALATED_ELSEWHERE; complete; 3 of 3 by ID
		make ESCALATED
		fail 4
		poll needsEscalation=true:1 needsEscalation=true:2 needsEscalation=true&assigneeId=A1:1 needsEscalation=true&assigneeId=A1:2 -> failed 1, R4 NOT_ESCALATED>ESCALATED 1
		  = ESCALATED, ESCALATED_ELSEWHERE; complete; 4 of 4 by ID
		poll needsEscalation=true:1 needsEscalation=true:2 needsEscalation=true&assigneeId=A1:1 needsEscalation=true&assigneeId=A1:2 ->`,
	],
]);

courses('services that say less, or something else', [
	[
		'pages become shorter: the length of the last page that was read is in force',
		{ ...TICKETS, oddities: { hidden: 1 } },
		`make OPEN*7
		poll all:1 lists IN_PROGRESS:1 RESOLVED:1 CLOSED:1 all:1 all:2 all:3 ->
		  = OPEN 8+ 3 marks of 7; reading, page 0 of pass 2; 0 of 7 by ID
		poll lists(OPEN:2) all:1 all:2 all:3 ->
		  = OPEN 8+; truncated; 0 of 7 by ID
		change R5 RESOLVED
		poll lists(OPEN:3) RESOLVED:2 -> R5 OPEN>RESOLVED 1
		  = OPEN 7+ 0 marks of 7, RESOLVED 1; truncated; 1 of 7 by ID
		poll lists(OPEN:4) RESOLVED:2 ->`,
	],
	[
		'a service whose pages are smaller than it says',
		{ ...TICKETS, oddities: { cap: 2 } },
		`make CLOSED*7 OPEN
		poll all:1 lists all:1 all:2 all:3 ->
		  = OPEN 1 0 marks of 1, CLOSED 7+ 2 marks of 5; reading, page 3 of pass 1; 1 of 6 by ID
		poll lists(CLOSED:2) all:3 all:4 ->
		  = OPEN 1 0 marks of 1, CLOSED 7+ 3 marks of 7; complete; 1 of 8 by ID
		change R1 OPEN
		poll lists(CLOSED:3) -> R1 CLOSED>OPEN 1
		  = OPEN 2, CLOSED 6+ 3 marks of 6; complete; 2 of 8 by ID
		poll lists ->`,
	],
	[
		'a service without totals: lists are read until a page has nothing new, ended ones by their first page',
		{ ...TICKETS, oddities: { totals: false } },
		`make CLOSED*4 OPEN*4
		poll all:1 lists OPEN:2 OPEN:3 OPEN:1 OPEN:2 all:1 all:2 all:3 ->
		  = OPEN 4 2 marks of 4, CLOSED ?; reading, page 3 of pass 1; 4 of 8 by ID
		poll lists OPEN:2 OPEN:3 all:3 all:4 all:5 all:6 ->
		  = OPEN 4 2 marks of 4, CLOSED ?; complete; 4 of 8 by ID
		poll lists OPEN:2 OPEN:3 ->
		  = OPEN 4, CLOSED ?; complete; 4 of 8 by ID
		change R8 CLOSED
		make OPEN
		poll lists OPEN:2 OPEN:3 -> R8 OPEN>CLOSED 1, R9 new>OPEN 1
		  = OPEN 4, CLOSED ?; complete; 4 of 9 by ID
		poll lists OPEN:2 OPEN:3 ->
		change R1 OPEN
		poll lists OPEN:2 OPEN:3 -> R1 CLOSED>OPEN 1
		  = OPEN 5, CLOSED ?; complete; 5 of 9 by ID
		fail 6
		poll lists OPEN:2 OPEN:3 -> failed 1
		poll lists OPEN:2 OPEN:3 ->`,
	],
	[
		'a service without totals, and a short list',
		{ ...TICKETS, oddities: { totals: false } },
		`make CLOSED OPEN
		poll all:1 ->
		  = OPEN 1, CLOSED 1; complete; 1 of 2 by ID
		change R2 CLOSED
		poll all:1 -> R2 OPEN>CLOSED 1
		  = CLOSED 2; complete; 0 of 2 by ID
		make OPEN OPEN
		poll all:1 lists -> R4 new>OPEN 1, R3 new>OPEN 1
		  = OPEN 2, CLOSED 2; complete; 4 of 4 by ID
		poll lists ->`,
	],
	[
		'a service without totals: the whole list ends with a page that is not full, or empty',
		{ ...TICKETS, limits: { wholePages: 3 }, oddities: { totals: false } },
		`make CLOSED OPEN*5
		poll all:1 lists OPEN:2 OPEN:3 OPEN:1 OPEN:2 all:1 all:2 all:3 ->
		  = OPEN 5 2 marks of 5, CLOSED 1 0 marks of 1; complete; 6 of 6 by ID
		poll all:1 lists OPEN:2 OPEN:3 ->
		  = OPEN 5, CLOSED 1; complete; 6 of 6 by ID
		make OPEN
		poll all:1 lists OPEN:2 OPEN:3 -> R7 new>OPEN 1
		  = OPEN 6, CLOSED 1; complete; 7 of 7 by ID
		fail 2
		poll all:1 lists -> failed 1
		poll all:1 lists OPEN:2 OPEN:3 ->`,
	],
	[
		'totals that include records which no list shows',
		{ ...TICKETS, limits: { wholePages: 2 }, oddities: { hidden: 1 } },
		`make OPEN OPEN CLOSED
		poll all:1 all:2 all:1 all:2 ->
		  = OPEN 2, CLOSED 1; complete; 2 of 3 by ID
		make OPEN
		poll all:1 all:2 -> R4 new>OPEN 1
		  = OPEN 3, CLOSED 1; complete; 3 of 4 by ID
		change R1 CLOSED
		poll all:1 all:2 -> R1 OPEN>CLOSED 1
		  = OPEN 2, CLOSED 2; complete; 2 of 4 by ID
		poll all:1 all:2 ->`,
	],
]);
