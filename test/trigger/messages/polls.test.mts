/**
 * What each poll requests, emits and expects next time, in histories of few chats. The model compares random histories
 * with the service; these show what every step is for.
 */
import { FakeTime } from '../../time.mts';
import { linesOf } from '../lines.mts';
import { carryOut, type Setting } from './script.mts';
import { FakeChats, HABITS } from './service.mts';
import { Watch } from './watch.mts';

let time: FakeTime;
beforeEach(() => {
	time = new FakeTime().install();
});
afterEach(() => time.restore());

/** Courses of a service and of the polls of a trigger, in the words of script.mts. */
function courses(about: string, rows: [what: string, setting: Setting, script: string][]): void {
	describe(about, () => {
		test.each(rows)('%s', async (_what, setting, script) => {
			expect(await carryOut(script, setting, time)).toBe(linesOf(script));
		});
	});
}

courses('rows that show which chats have news', [
	[
		'the first poll reads every chat and emits nothing; then only chats whose rows changed are read, and one in turn',
		{},
		`make 4
		poll channels list:1 list:2 C4 C3 C2 C1 list:1 ->
		  = 4 chats
		poll list:1 list:2 C3 ->
		write C2 C3*2
		answer C1
		poll list:1 list:2 C3 C2 C1 C4 -> C2.2, C3.2, C3.3
		  = 4 chats; newest first
		make 1*2
		poll list:1 list:2 C5 C5:1 C3 -> C5.1, C5.2
		  = 5 chats; newest first
		poll list:1 list:2 C1 ->
		poll list:1 list:2 C5 ->
		poll list:1 list:2 C2 ->`,
	],
	[
		'if a poll may not read every chat, the next ones continue; what they find was there before',
		{ limits: { readsUnknown: 8 } },
		`make 9
		poll channels list:1 list:2 list:3 C9 C8 C7 C6 list:1 ->
		  = 9 chats; unread C1 C2 C3 C4 C5; pending
		write C1 C9
		poll list:1 list:2 list:3 C9 C1 C5 C4 C3 C6 -> C1.2, C9.2
		  = 9 chats; unread C2; pending
		poll list:1 list:2 list:3 C2 C3 ->
		  = 9 chats
		poll list:1 list:2 list:3 C1 ->
		poll list:1 list:2 list:3 C7 ->`,
	],
	[
		'more chats have news than a poll may read: half of them from the head of the list, the others in turn',
		{ limits: { readsUnknown: 9 } },
		`make 9
		poll channels list:1 list:2 list:3 C9 C8 C7 C6 C5 list:1 ->
		  = 9 chats; unread C1 C2 C3 C4; pending
		poll list:1 list:2 list:3 C4 C3 C2 C1 C6 ->
		  = 9 chats
		poll list:1 list:2 list:3 C3 ->
		write all
		poll list:1 list:2 list:3 C9 C8 C7 C1 C5 C2 -> C1.2, C2.2, C5.2, C7.2, C8.2, C9.2
		  = 9 chats; newest first; pending; since 3
		poll list:1 list:2 list:3 C6 C4 C3 C8 -> C3.2, C4.2, C6.2
		  = 9 chats; newest first
		write C9 C8 C7
		poll list:1 list:2 list:3 C9 C8 C7 C4 -> C9.3, C8.3, C7.3
		poll list:1 list:2 list:3 C9 ->
		poll list:1 list:2 list:3 C6 ->`,
	],
	[
		'a chat whose row changed without news is read once more: its message may be stored late',
		{},
		`make 5
		poll channels list:1 list:2 C5 C4 C3 C2 C1 list:1 ->
		  = 5 chats
		store C2
		poll list:1 list:2 C2 C3 ->
		  = 5 chats; again C2
		return
		poll list:1 list:2 C2 C1 -> C2.2
		  = 5 chats
		touch C2
		poll list:1 list:2 C2 C5 ->
		  = 5 chats; again C2
		poll list:1 list:2 C2 C4 ->
		  = 5 chats
		poll list:1 list:2 C3 ->`,
	],
	[
		'items are in the order of the first new message of each chat',
		{},
		`make 3
		poll channels list:1 C3 C2 C1 list:1 ->
		  = 3 chats
		write C1 C3 C1 C2 C3
		poll list:1 C3 C2 C1 -> C1.2, C1.3, C3.2, C3.3, C2.2`,
	],
	[
		'a long history is read up to a known message, and uses more of what a poll may read',
		{ limits: { readsUnknown: 9 } },
		`make 6
		poll channels list:1 list:2 C6 C5 C4 C3 C2 C1 list:1 ->
		  = 6 chats
		poll list:1 list:2 C6 ->
		write C1*9 C2*9 C3 C4 C5 C6
		poll list:1 list:2 C6 C5 C4 C3 C2 C1 C2:7 C1:7 C2:3 C1:3 -> C1.2, C1.3, C1.4, C1.5, C1.6, C1.7, C1.8, C1.9, C1.10, C2.2, C2.3, C2.4, C2.5, C2.6, C2.7, C2.8, C2.9, C2.10, C3.2, C4.2, C5.2, C6.2
		  = 6 chats; newest first
		poll list:1 list:2 C3 ->
		poll list:1 list:2 C1 ->`,
	],
	[
		'an empty chat, and one whose history is empty for a while',
		{},
		`make 1*0
		make 1*2
		make 2
		poll channels list:1 list:2 C4 C3 C2 C1 list:1 ->
		  = 4 chats
		write C1*2
		delete C2.1 C2.2
		touch C2
		poll list:1 list:2 C2 C1 C1:1 C3 -> C1.1, C1.2
		  = 4 chats; again C2
		write C2
		poll list:1 list:2 C2 C2:3 C1 -> C2.3
		  = 4 chats
		poll list:1 list:2 C2 ->`,
	],
	[
		'of the known messages, two may be deleted; if all are, times decide',
		{},
		`make 2*5
		poll channels list:1 C2 C1 list:1 ->
		  = 2 chats
		delete C1.5 C1.4
		delete C2.5 C2.4 C2.3
		write C1 C2
		poll list:1 C2 C1 C2:1 -> C1.6, C2.6
		poll list:1 C1 ->`,
	],
	[
		'if all known messages are deleted, those that were emitted before are not emitted again',
		{},
		`make 2
		poll channels list:1 C2 C1 list:1 ->
		  = 2 chats
		write C1*5
		poll list:1 C1 C1:3 C2 -> C1.2, C1.3, C1.4, C1.5, C1.6
		delete C1.6 C1.5 C1.4
		touch C1
		poll list:1 C1 C1:1 C2 ->
		  = 2 chats; again C1`,
	],
	[
		'a chat whose messages are not returned for a while: they are known when they are back',
		{},
		`make 2*2
		poll channels list:1 C2 C1 list:1 ->
		  = 2 chats
		lose C1
		touch C1
		poll list:1 C1 C2 ->
		  = 2 chats; again C1
		return
		poll list:1 C1 C2 ->
		  = 2 chats
		write C1
		poll list:1 C1 C2 -> C1.3`,
	],
	[
		'without a time, the same; but if all are deleted, nothing is new',
		{ habits: { hasTimes: false } },
		`make 2*5
		poll channels list:1 C2 C1 list:1 ->
		  = 2 chats
		delete C1.5 C1.4
		delete C2.5 C2.4 C2.3
		write C1 C2
		poll list:1 C2 C1 C2:1 -> C1.6
		  = 2 chats; again C2
		make 1*2
		poll list:1 C3 C2 C3:1 C1 -> C3.1, C3.2
		  = 3 chats`,
	],
	[
		'a chat that is not listed anymore is known when it is back; it is forgotten only to make room',
		{ limits: { chats: 3 } },
		`make 3
		poll channels list:1 C3 C2 C1 list:1 ->
		  = 3 chats
		drop C1
		poll list:1 C3 ->
		write C1
		add C1
		poll list:1 C1 C2 -> C1.2
		drop C1
		make 1
		poll list:1 C4 C4:1 C3 -> C4.1
		poll list:1 C4 ->`,
	],
	[
		'another scope begins with a new baseline; a restart with an older state emits the same again',
		{},
		`make 2
		poll channels list:1 C2 C1 list:1 ->
		  = 2 chats
		write C1
		poll list:1 C1 C2 -> C1.2
		restart 1
		write C2
		poll list:1 C2 C1 -> C1.2, C2.2
		scope other
		write C2
		poll channels list:1 C2 C1 list:1 ->
		poll list:1 C1 ->`,
	],
	[
		'with a filter, a chat that matches now may be an old one: its messages since the newest one of the others are new',
		{ agent: 'A1', subscription: { query: { assigneeId: 'A1' } } },
		`make 3*2
		assign C1 A2
		wait 10
		poll channels list:1 C3 C2 list:1 ->
		  = 2 chats
		wait 10
		poll list:1 C2 ->
		assign C1 A1
		write C1
		poll list:1 C1 C1:1 C3 -> C1.1, C1.2, C1.3
		  = 3 chats
		assign C2 A2
		poll list:1 C1 ->
		write C2
		assign C2 A1
		poll list:1 C2 C3 -> C2.3
		  = 3 chats; newest first
		poll list:1 C1 ->`,
	],
	[
		'with a filter and without times, nothing shows what is new in a chat that matches now',
		{ agent: 'A1', habits: { hasTimes: false }, subscription: { query: { assigneeId: 'A1' } } },
		`make 3*2
		assign C1 A2
		poll channels list:1 C3 C2 list:1 ->
		  = 2 chats
		assign C1 A1
		write C1
		poll list:1 C1 C2 ->
		  = 3 chats; again C1
		write C1
		poll list:1 C1 C3 -> C1.4
		  = 3 chats`,
	],
	[
		'messages of both directions, and all new messages of a chat together',
		{ subscription: { from: 'both', emit: 'chat' } },
		`make 2
		poll channels list:1 C2 C1 list:1 ->
		  = 2 chats
		write C1*2
		answer C1
		answer C2
		poll list:1 C2 C1 -> C1.4, C2.2`,
	],
	[
		'the more requests a history takes, the fewer other chats are read; the next poll reads these',
		{ limits: { readsUnknown: 14 } },
		`make 12
		poll channels list:1 list:2 list:3 list:4 C12 C11 C10 C9 C8 C7 C6 C5 C4 list:1 ->
		  = 12 chats; unread C1 C2 C3; pending
		poll list:1 list:2 list:3 list:4 C3 C2 C1 C11 ->
		  = 12 chats
		poll list:1 list:2 list:3 list:4 C6 ->
		write C1 C2 C3 C4 C5 C6 C7 C8 C9 C10 C11
		write C12*5
		poll list:1 list:2 list:3 list:4 C12 C11 C10 C9 C8 C3 C1 C7 C12:3 C5 -> C1.2, C3.2, C5.2, C7.2, C8.2, C9.2, C10.2, C11.2, C12.2, C12.3, C12.4, C12.5, C12.6
		  = 12 chats; newest first; pending; since 3
		poll list:1 list:2 list:3 list:4 C6 C4 C2 C8 -> C2.2, C4.2, C6.2
		  = 12 chats; newest first`,
	],
	[
		'a chat that is to be read once more is waited for, unless it is not listed anymore',
		{},
		`make 6
		poll channels list:1 list:2 C6 C5 C4 C3 C2 C1 list:1 ->
		  = 6 chats
		store C2 C4
		poll list:1 list:2 C4 C2 C6 ->
		  = 6 chats; again C2 C4
		return
		fail 4
		write C6
		poll list:1 list:2 C6 C4 C2 C3 -> C6.2
		  : unreadable 3 503
		poll list:1 list:2 C4 C2 C1 -> C2.2, C4.2
		  = 6 chats
		store C2
		poll list:1 list:2 C2 C5 ->
		  = 6 chats; again C2
		drop C2
		poll list:1 list:2 C4 ->
		  = 6 chats
		return
		add C2
		poll list:1 list:2 C6 ->`,
	],
	[
		'of many such chats, only some are read once more',
		{},
		`make 8
		poll channels list:1 list:2 list:3 C8 C7 C6 C5 C4 C3 C2 C1 list:1 ->
		  = 8 chats
		touch C1 C2 C3 C4 C5 C6 C7
		write C8
		poll list:1 list:2 list:3 C8 C7 C6 C5 C4 C3 C2 C1 -> C8.2
		  = 8 chats; again C1 C2 C3 C4 C5
		poll list:1 list:2 list:3 C5 C4 C3 C2 C1 C6 ->
		  = 8 chats
		poll list:1 list:2 list:3 C3 ->`,
	],
	[
		'several messages are known of the chats with the latest news, and one of the others',
		{ habits: { hasTimes: false }, limits: { recentChats: 1 } },
		`make 2*3
		poll channels list:1 C2 C1 list:1 ->
		  = 2 chats
		write C2
		poll list:1 C2 C1 -> C2.4
		delete C2.4
		write C2
		poll list:1 C2 C1 -> C2.5
		poll list:1 C2 ->
		delete C2.5
		write C2
		poll list:1 C2 C1 -> C2.6
		write C1
		poll list:1 C1 C2 -> C1.4
		delete C2.6
		write C2
		poll list:1 C2 C2:1 C1 ->
		  = 2 chats; again C2`,
	],
	[
		'a new chat without messages, and a service whose clock is an hour slow',
		{},
		`clock -3600000
		make 2
		poll channels list:1 C2 C1 list:1 ->
		  = 2 chats
		make 1*0
		make 1*2
		poll list:1 list:2 C4 C3 C4:1 C1 -> C4.1, C4.2
		  = 4 chats; again C3
		write C3
		poll list:1 list:2 C3 C3:1 C4 -> C3.1
		  = 4 chats
		poll list:1 list:2 C2 ->
		clock 3600000
		make 1*2
		poll list:1 list:2 C5 C5:1 C3 -> C5.1, C5.2
		  = 5 chats
		make 1*2
		poll list:1 list:2 C6 C6:1 C1 -> C6.1, C6.2
		  = 6 chats`,
	],
	[
		'a service that returns messages oldest first: the newest are on the last page',
		{ habits: { history: 'oldest first' } },
		`make 3*6
		poll channels list:1 C3 C2 C1 C3:4 C2:4 C1:4 C3:6 C2:6 C1:6 list:1 ->
		  = 3 chats
		poll list:1 C1 C1:4 C1:6 ->
		poll list:1 C2 C2:4 C2:6 ->
		write all
		poll list:1 C3 C2 C1 C3:4 C2:4 C1:4 C3:7 C2:7 C1:7 -> C1.7, C2.7, C3.7
		  = 3 chats; oldest first
		poll list:1 C3 C3:4 C3:7 ->
		poll list:1 C1 C1:4 C1:7 ->
		write all
		poll list:1 C3 C2 C1 C3:4 C2:4 C1:4 C3:8 C2:8 C1:8 -> C1.8, C2.8, C3.8
		write C1
		poll list:1 C1 C1:4 C1:8 C1:9 C2 C2:4 C2:8 -> C1.9`,
	],
	[
		'newest first: a few messages of a chat are enough',
		{},
		`make 3
		poll channels list:1 C3 C2 C1 list:1 ->
		  = 3 chats
		poll list:1 C3 ->
		poll list:1 C1 ->
		write all
		poll list:1 C3 C2 C1 -> C1.2, C2.2, C3.2
		  = 3 chats; newest first
		write C1
		poll list:1 C1 C2 -> C1.3`,
	],
	[
		'many new messages of a chat are all read, also if it could not be read for a while',
		{},
		`make 2
		poll channels list:1 C2 C1 list:1 ->
		  = 2 chats
		write C1*20
		poll list:1 C1 C1:18 C1:14 C1:10 C1:6 C1:2 C2 -> C1.2, C1.3, C1.4, C1.5, C1.6, C1.7, C1.8, C1.9, C1.10, C1.11, C1.12, C1.13, C1.14, C1.15, C1.16, C1.17, C1.18, C1.19, C1.20, C1.21
		write C2*20
		reject C2 500
		poll list:1 C2 C1 ->
		  : unreadable 500
		  = 2 chats; again C2
		poll list:1 C2 C1 ->
		  : unreadable 500
		poll list:1 C2 C1 ->
		  : unreadable 500
		poll list:1 C2 C1 ->
		  : unreadable 500
		poll list:1 C2 C1 ->
		  : unreadable 500
		accept C2
		poll list:1 C2 C2:18 C2:14 C2:10 C2:6 C2:2 C1 -> C2.2, C2.3, C2.4, C2.5, C2.6, C2.7, C2.8, C2.9, C2.10, C2.11, C2.12, C2.13, C2.14, C2.15, C2.16, C2.17, C2.18, C2.19, C2.20, C2.21
		  = 2 chats`,
	],
	[
		'if no known message is left, a long history is not read to its end',
		{},
		`make 1*40
		wait 10
		poll channels list:1 C1 list:1 ->
		  = 1 chats
		delete C1.40 C1.39 C1.38
		write C1
		poll list:1 C1 C1:35 C1:31 C1:27 -> C1.41`,
	],
	[
		'in the first poll, too, long histories leave other chats to the next one',
		{ habits: { history: 'oldest first' }, limits: { reads: 29, readsUnknown: 29 } },
		`make 10*6
		poll channels list:1 list:2 list:3 list:4 C10 C9 C8 C7 C6 C5 C4 C3 C10:4 C9:4 C8:4 C7:4 C6:4 C5:4 C4:4 C3:4 C10:6 C9:6 C8:6 C7:6 C6:6 C5:6 C4:6 C3:6 list:1 ->
		  = 10 chats; unread C1 C2; pending
		poll list:1 list:2 list:3 list:4 C2 C1 C2:4 C1:4 C2:6 C1:6 C9 C9:4 C9:6 ->
		  = 10 chats`,
	],
	[
		'a chat that matches the filter after an empty first poll has old messages',
		{ agent: 'A1', subscription: { query: { assigneeId: 'A1' } } },
		`make 1*2
		assign C1 A2
		wait 10
		poll channels list:1 ->
		  = 0 chats
		write C1
		assign C1 A1
		poll list:1 C1 -> C1.3
		  = 1 chats`,
	],
]);

courses('chats that cannot be read, and outages', [
	[
		'a chat that the service rejects at first is tried again in its turn; its old messages are not new',
		{},
		`make 4*2
		reject C2 403
		poll channels list:1 list:2 C4 C3 C2 C1 list:1 ->
		  : unreadable 403
		  = 4 chats; rejected C2
		poll list:1 list:2 C1 ->
		poll list:1 list:2 C4 ->
		write C2
		poll list:1 list:2 C2 C3 ->
		  : unreadable 403
		  = 4 chats; rejected C2; again C2
		accept C2
		poll list:1 list:2 C2 C1 -> C2.3
		  = 4 chats
		poll list:1 list:2 C4 ->
		poll list:1 list:2 C2 ->`,
	],
	[
		'a chat that is not found for a while, although it is listed: its row counts as changed until it can be read',
		{},
		`make 4*2
		poll channels list:1 list:2 C4 C3 C2 C1 list:1 ->
		  = 4 chats
		reject C2 404
		write C2
		poll list:1 list:2 C2 C1 ->
		  = 4 chats; again C2
		poll list:1 list:2 C2 C4 ->
		poll list:1 list:2 C2 C3 ->
		accept C2
		poll list:1 list:2 C2 C1 -> C2.3
		  = 4 chats
		poll list:1 list:2 C4 ->`,
	],
	[
		'all messages of a new chat are new, once it can be read',
		{ habits: { hasTimes: false } },
		`make 3
		poll channels list:1 C3 C2 C1 list:1 ->
		  = 3 chats
		make 1*2
		reject C4 500
		poll list:1 list:2 C4 C3 ->
		  : unreadable 500
		  = 4 chats; rejected C4; again C4
		poll list:1 list:2 C4 C1 ->
		  : unreadable 500
		  = 4 chats; rejected C4
		poll list:1 list:2 C2 ->
		accept C4
		poll list:1 list:2 C4 C4:1 -> C4.1, C4.2
		  = 4 chats
		poll list:1 list:2 C3 ->`,
	],
	[
		'with a filter, only those after the last poll before',
		{ subscription: { query: { assigneeId: 'A1' } } },
		`make 3
		poll channels list:1 C3 C2 C1 list:1 ->
		  = 3 chats
		make 1*2
		reject C4 500
		poll list:1 list:2 C4 C3 ->
		  : unreadable 500
		  = 4 chats; rejected C4; again C4
		poll list:1 list:2 C4 C1 ->
		  : unreadable 500
		  = 4 chats; rejected C4
		accept C4
		write C4
		poll list:1 list:2 C4 C4:1 C2 -> C4.1, C4.2, C4.3
		  = 4 chats
		poll list:1 list:2 C4 ->`,
	],
	[
		'three chats in a row that fail are an outage, one is not',
		{},
		`make 5
		poll channels list:1 list:2 C5 C4 C3 C2 C1 list:1 ->
		  = 5 chats
		write all
		reject C5 500
		poll list:1 list:2 C5 C4 C3 C2 C1 -> C1.2, C2.2, C3.2, C4.2
		  : unreadable 500
		  = 5 chats; again C5
		poll list:1 list:2 C5 C3 ->
		  : unreadable 500
		accept C5
		reject C3 500
		reject C2 500
		reject C1 500
		write C1 C2 C3 C4
		poll list:1 list:2 C5 C4 C3 C2 C1 -> failed 1, C5.2, C4.3
		  = 5 chats; pending; since 3
		poll list:1 list:2 C3 C2 C1 -> failed 2
		accept C1
		accept C2
		poll list:1 list:2 C3 C2 C1 C5 -> C1.3, C2.3
		  : unreadable 500
		  = 5 chats; again C3; newest first
		poll list:1 list:2 C3 C2 ->
		  : unreadable 500`,
	],
	[
		'an outage after the first requests: what was read counts',
		{},
		`make 4
		poll channels list:1 list:2 C4 C3 C2 C1 list:1 ->
		  = 4 chats
		write all
		fail 1
		poll list:1 -> failed 1
		  = 4 chats; since 1
		fail 2
		poll list:1 list:2 -> failed 2
		fail 3 429
		poll list:1 list:2 C4 C3 C2 C1 -> failed 3
		  = 4 chats; pending; since 1
		fail 4
		poll list:1 list:2 C4 C3 C2 C1 -> failed 4, C4.2
		fail 6
		poll list:1 list:2 C3 C2 C1 C4 -> C1.2, C2.2, C3.2
		  : unreadable 503
		  = 4 chats
		fail 7
		poll list:1 list:2 C3 ->
		poll list:1 list:2 C1 ->`,
	],
	[
		'an outage in the first poll',
		{},
		`make 4
		fail 1
		poll channels -> failed 1
		fail 2
		poll channels list:1 -> failed 2
		fail 4
		poll channels list:1 list:2 C4 C3 C2 C1 -> failed 3
		  = 4 chats; unread C1 C2 C3 C4; pending
		write C4 C3 C2
		poll list:1 list:2 C4 C3 C2 C1 -> C4.2, C3.2, C2.2
		  = 4 chats; newest first
		poll list:1 list:2 C3 ->`,
	],
	[
		'every chat is rejected',
		{},
		`make 3
		poll channels list:1 C3 C2 C1 list:1 ->
		  = 3 chats
		write all
		reject C1 403
		reject C2 403
		reject C3 403
		poll list:1 C3 C2 C1 -> failed 1, error: Status 403
		  = 3 chats; again C1 C2 C3; pending; since 1
		poll list:1 C3 C2 C1 -> failed 2, error: Status 403
		poll list:1 C3 C2 C1 -> failed 3, error: Status 403
		poll list:1 C3 C2 C1 -> failed 4, error: Status 403
		poll list:1 C3 C2 C1 -> failed 5, error: Status 403
		accept C1
		poll list:1 C3 C2 C1 -> C1.2
		  : unreadable 2 403
		  = 3 chats; again C2 C3
		accept C2
		accept C3
		poll list:1 C3 C2 C1 -> C2.2, C3.2
		  = 3 chats`,
	],
	[
		'a rejected token ends the poll at once',
		{},
		`make 3
		fail 2 401
		poll channels list:1 -> failed 1, error: Status 401
		poll channels list:1 C3 C2 C1 list:1 ->
		  = 3 chats
		write C1
		fail 2 401
		poll list:1 C1 -> failed 1, error: Status 401
		  = 3 chats; since 2
		poll list:1 C1 C3 -> C1.2
		  = 3 chats`,
	],
	[
		'an outage before a new chat is read',
		{},
		`make 3
		poll channels list:1 C3 C2 C1 list:1 ->
		  = 3 chats
		make 1
		write C1
		fail 4
		poll list:1 list:2 C4 C1 C4:1 C3 -> failed 1
		  = 3 chats; pending; since 1
		fail 2
		poll list:1 list:2 -> failed 2
		poll list:1 list:2 C4 C1 C4:1 C2 -> C4.1, C1.2
		  = 4 chats`,
	],
	[
		'every chat is rejected: those in turn are not all tried',
		{ habits: { rows: 'lie' }, limits: { readsUnknown: 40, reads: 40, audits: 8 } },
		`make 30
		poll channels list:1 list:2 list:3 list:4 list:5 list:6 list:7 list:8 list:9 C30 C29 C28 C27 C26 C25 C24 C23 C22 C21 C20 C19 C18 C17 C16 C15 C14 C13 C12 C11 C10 C9 C8 C7 C6 C5 C4 list:1 ->
		  : too long 900
		  = 27 chats
		write all
		poll list:1 list:2 list:3 list:4 list:5 list:6 list:7 list:8 list:9 C16 C21 C30 C29 C11 C6 C26 C20 list:5 -> C6.2, C11.2, C16.2, C20.2, C21.2, C26.2, C29.2, C30.2
		  : in turn 27 30 1
		  = 27 chats; in turn
		reject all 403
		write all
		poll list:1 list:2 list:3 list:4 list:5 list:6 list:7 list:8 list:9 C25 C15 C14 C18 C7 C12 C13 C23 C5 C19 C27 C10 C22 C8 C17 C28 -> failed 1, error: Status 403
		  = 27 chats; in turn; pending; since 2`,
	],
	[
		'a chat that does not exist when it is listed first: if it does later, its old messages are not new',
		{ habits: { hasTimes: false } },
		`make 4*2
		reject C2 404
		poll channels list:1 list:2 C4 C3 C2 C1 list:1 ->
		  = 4 chats; rejected C2
		poll list:1 list:2 C1 ->
		accept C2
		poll list:1 list:2 C4 ->
		poll list:1 list:2 C2 ->
		  = 4 chats
		poll list:1 list:2 C3 ->
		write C2
		poll list:1 list:2 C2 C1 -> C2.3
		reject C3 404
		write C3
		poll list:1 list:2 C3 C4 ->
		  = 4 chats; again C3`,
	],
	[
		'a history that ends with a rejection is read again from the start',
		{ habits: { pageSize: 9 } },
		`make 2
		poll channels list:1 C2 C1 list:1 ->
		  = 2 chats
		write C1*20
		during 4: reject C1 404
		poll list:1 C1 C1:18 C1:9 C2 ->
		  = 2 chats; again C1
		accept C1
		poll list:1 C1 C1:18 C1:9 C2 -> C1.2, C1.3, C1.4, C1.5, C1.6, C1.7, C1.8, C1.9, C1.10, C1.11, C1.12, C1.13, C1.14, C1.15, C1.16, C1.17, C1.18, C1.19, C1.20, C1.21
		  = 2 chats`,
	],
	[
		'a rate limit ends the poll, for whichever chat it is reported',
		{ limits: { readsUnknown: 16 } },
		`make 12
		poll channels list:1 list:2 list:3 list:4 C12 C11 C10 C9 C8 C7 C6 C5 C4 C3 C2 list:1 ->
		  = 12 chats; unread C1; pending
		poll list:1 list:2 list:3 list:4 C1 C11 ->
		  = 12 chats
		write all
		reject C12 429
		poll list:1 list:2 list:3 list:4 C12 C11 C10 C9 C8 C7 C6 C5 -> failed 1, C5.2, C6.2, C7.2, C8.2, C9.2, C10.2, C11.2
		  = 12 chats; newest first; pending; since 2
		accept C12
		poll list:1 list:2 list:3 list:4 C12 C4 C3 C2 C1 C6 -> C1.2, C2.2, C3.2, C4.2, C12.2
		  = 12 chats; newest first`,
	],
	[
		'an outage while the first page is read once more, in the first poll',
		{},
		`make 4
		fail 8
		poll channels list:1 list:2 C4 C3 C2 C1 list:1 -> failed 1
		  = 4 chats; pending
		poll list:1 list:2 C3 ->
		  = 4 chats`,
	],
	[
		'a rejected list is reported at once',
		{},
		`make 2
		poll channels list:1 C2 C1 list:1 ->
		  = 2 chats
		fail 1 403
		poll list:1 -> failed 1, error: Status 403
		  = 2 chats; since 1
		poll list:1 C1 ->
		  = 2 chats`,
	],
]);

courses('a list whose latest chats come first', [
	[
		'is read only up to the first quiet chat, and one page in turn, once chats with news have taken the lead',
		{ habits: { order: 'activity' } },
		`make 9
		poll channels list:1 list:2 list:3 C9 C8 C7 C6 C5 C4 C3 C2 list:1 ->
		  = 9 chats; unread C1; pending
		poll list:1 list:2 list:3 C1 C6 ->
		  = 9 chats
		write C2
		poll list:1 list:2 list:3 C2 C3 -> C2.2
		  = 9 chats; order 1
		write C4
		poll list:1 list:3 C4 C3 -> C4.2
		write C1 C3
		poll list:1 C3 C1 C4 -> C1.2, C3.2
		  = 9 chats; order 1; newest first
		write C5 C6 C7
		poll list:1 list:2 C7 C6 C5 C1 -> C5.2, C6.2, C7.2
		write C8
		poll list:1 list:3 C8 C4 -> C8.2
		poll list:1 C8 ->
		poll list:1 list:2 C5 ->`,
	],
	[
		'all chats have news: every page is read',
		{ habits: { order: 'activity' }, limits: { readsUnknown: 8 } },
		`make 10
		poll channels list:1 list:2 list:3 list:4 C10 C9 C8 C7 list:1 ->
		  = 10 chats; unread C1 C2 C3 C4 C5 C6; pending
		poll list:1 list:2 list:3 list:4 C6 C5 C4 C3 C1 ->
		  = 10 chats; unread C2; pending
		poll list:1 list:2 list:3 list:4 C2 C7 ->
		  = 10 chats
		write C2
		poll list:1 list:2 list:3 list:4 C2 C5 -> C2.2
		  = 10 chats; order 1
		poll list:1 list:4 C1 ->
		write all
		poll list:1 list:2 list:3 list:4 C10 C9 C7 C5 -> C5.2, C7.2, C9.2, C10.2
		  = 10 chats; order 1; newest first; pending; since 5
		poll list:1 list:2 list:3 list:4 C8 C6 C2 C4 C10 -> C2.3, C4.2, C6.2, C8.2
		  = 10 chats; newest first; pending; since 5
		poll list:1 list:2 list:3 list:4 C3 C1 C9 -> C1.2, C3.2
		  = 10 chats; newest first`,
	],
	[
		'a new chat at the head, and answers, do not prove it; nor does a change at the head',
		{},
		`make 9
		poll channels list:1 list:2 list:3 C9 C8 C7 C6 C5 C4 C3 C2 list:1 ->
		  = 9 chats; unread C1; pending
		make 1
		poll list:1 list:2 list:3 list:4 C10 C1 C10:1 C6 -> C10.1
		  = 10 chats
		write C10
		poll list:1 list:2 list:3 list:4 C10 C3 -> C10.2
		make 1
		write C10
		poll list:1 list:2 list:3 list:4 C11 C10 C11:1 C1 -> C11.1, C10.3
		  = 11 chats`,
	],
	[
		'each page has its turn, and each chat of it',
		{ habits: { order: 'activity' }, limits: { audits: 2 } },
		`make 9
		poll channels list:1 list:2 list:3 C9 C8 C7 C6 C5 C4 C3 C2 list:1 ->
		  = 9 chats; unread C1; pending
		write C2
		poll list:1 list:2 list:3 C2 C1 C6 C3 -> C2.2
		  = 9 chats; order 1
		poll list:1 list:2 C6 C7 ->
		poll list:1 list:3 C3 C1 ->
		poll list:1 C9 C2 ->
		poll list:1 list:2 C5 C6 ->
		poll list:1 list:3 C4 C3 ->
		poll list:1 C8 C9 ->
		poll list:1 list:2 C7 C5 ->`,
	],
	[
		'a list of two pages is read in full, whatever its order',
		{ habits: { order: 'activity' } },
		`make 6
		poll channels list:1 list:2 C6 C5 C4 C3 C2 C1 list:1 ->
		  = 6 chats
		write C2
		poll list:1 list:2 C2 C6 -> C2.2
		  = 6 chats; order 1
		write C3
		poll list:1 list:2 C3 C1 -> C3.2
		  = 6 chats; order 2
		poll list:1 list:2 C5 ->`,
	],
	[
		'an outage while the head is read',
		{ habits: { order: 'activity' } },
		`make 9
		poll channels list:1 list:2 list:3 C9 C8 C7 C6 C5 C4 C3 C2 list:1 ->
		  = 9 chats; unread C1; pending
		write C2
		poll list:1 list:2 list:3 C2 C1 C6 -> C2.2
		  = 9 chats; order 1
		write all
		fail 2
		poll list:1 list:2 -> failed 1
		  = 9 chats; order 1; since 2
		fail 3
		poll list:1 list:2 list:3 -> failed 2
		fail 5
		poll list:1 list:2 list:3 C9 C8 C7 C6 C5 C4 C3 C2 -> failed 3, C9.2
		  = 9 chats; order 1; pending; since 2
		poll list:1 list:2 list:3 C8 C7 C6 C5 C4 C3 C2 C1 C9 -> C1.2, C2.3, C3.2, C4.2, C5.2, C6.2, C7.2, C8.2
		  = 9 chats; newest first
		poll list:1 list:2 list:3 C6 ->`,
	],
	[
		'a chat with news below a quiet one disproves it: the list is read in full again',
		{ habits: { order: 'activity' } },
		`make 9
		poll channels list:1 list:2 list:3 C9 C8 C7 C6 C5 C4 C3 C2 list:1 ->
		  = 9 chats; unread C1; pending
		write C2
		poll list:1 list:2 list:3 C2 C1 C6 -> C2.2
		  = 9 chats; order 1
		touch C9
		poll list:1 list:2 C9 C6 ->
		  = 9 chats; order 1; again C9
		order newest
		write C3 C9
		poll list:1 list:3 C9 C3 C1 -> C3.2, C9.2
		  = 9 chats
		poll list:1 list:2 list:3 C7 ->
		poll list:1 list:2 list:3 C5 ->
		poll list:1 list:2 list:3 C2 ->`,
	],
	[
		'so does one on the page in turn',
		{ habits: { order: 'activity' } },
		`make 9
		poll channels list:1 list:2 list:3 C9 C8 C7 C6 C5 C4 C3 C2 list:1 ->
		  = 9 chats; unread C1; pending
		write C2
		poll list:1 list:2 list:3 C2 C1 C6 -> C2.2
		  = 9 chats; order 1
		hide C8 C3 C7 C6
		poll list:1 list:2 C6 list:2 -> C6.2
		  : in turn 9 9 1
		  = 9 chats; in turn
		poll list:1 list:2 list:3 C3 C1 C7 C5 C2 C8 C4 C9 C6 -> C8.2, C3.2, C7.2
		  = 9 chats; in turn; newest first
		poll list:1 list:2 list:3 C3 C1 C7 C5 C2 C8 C4 C9 C6 ->`,
	],
	[
		'a list by creation is read in full: chats with news are anywhere',
		{ habits: { order: 'newest' } },
		`make 9
		poll channels list:1 list:2 list:3 C9 C8 C7 C6 C5 C4 C3 C2 list:1 ->
		  = 9 chats; unread C1; pending
		write C9
		poll list:1 list:2 list:3 C9 C1 C6 -> C9.2
		  = 9 chats
		write C8
		poll list:1 list:2 list:3 C8 C3 -> C8.2
		write C9 C8
		poll list:1 list:2 list:3 C9 C8 C1 -> C9.3, C8.3
		  = 9 chats; newest first
		write C7
		poll list:1 list:2 list:3 C7 C5 -> C7.2`,
	],
	[
		'chats with a message behind an unchanged row: chats are read in turn, and the whole list in every poll',
		{ habits: { order: 'activity' } },
		`make 9
		poll channels list:1 list:2 list:3 C9 C8 C7 C6 C5 C4 C3 C2 list:1 ->
		  = 9 chats; unread C1; pending
		write C2
		poll list:1 list:2 list:3 C2 C1 C6 -> C2.2
		  = 9 chats; order 1
		poll list:1 list:2 C6 ->
		poll list:1 list:3 C3 ->
		hide C8
		poll list:1 C8 list:1 -> C8.2
		  : in turn 9 10 1
		  = 9 chats; in turn; order 1
		poll list:1 list:2 list:3 C4 C9 C6 C3 C1 C7 C5 C2 C8 ->
		poll list:1 list:2 list:3 C4 C9 C6 C3 C1 C7 C5 C2 C8 ->
		  = 9 chats; in turn; order 1; newest first`,
	],
	[
		'new chats are at its head',
		{ habits: { order: 'activity' } },
		`make 9
		poll channels list:1 list:2 list:3 C9 C8 C7 C6 C5 C4 C3 C2 list:1 ->
		  = 9 chats; unread C1; pending
		write C2
		poll list:1 list:2 list:3 C2 C1 C6 -> C2.2
		  = 9 chats; order 1
		make 4
		poll list:1 list:2 C13 C12 C11 C10 C13:1 C12:1 C11:1 C10:1 C2 -> C10.1, C11.1, C12.1, C13.1
		  = 13 chats; order 1
		poll list:1 list:3 C6 ->`,
	],
	[
		'rows that shift while the head is read: the first page is read again',
		{ habits: { order: 'activity' } },
		`make 12
		poll channels list:1 list:2 list:3 list:4 C12 C11 C10 C9 C8 C7 C6 list:1 ->
		  = 12 chats; unread C1 C2 C3 C4 C5; pending
		write C2
		poll list:1 list:2 list:3 list:4 C2 C5 C4 C3 C1 C11 -> C2.2
		  = 12 chats; order 1
		during 2: write C1
		poll list:1 list:2 list:1 C1 C11 -> C1.2
		poll list:1 list:3 C6 ->
		poll list:1 list:4 C3 ->`,
	],
	[
		'chats that are not kept anymore are new when they are listed; a part of the list is no reason to forget others',
		{ habits: { order: 'activity' }, limits: { chats: 8 } },
		`make 9
		poll channels list:1 list:2 list:3 C9 C8 C7 C6 C5 C4 C3 C2 list:1 ->
		  = 8 chats; unread C1; pending
		wait 10
		write C2
		poll list:1 list:2 list:3 C2 C9 C1 C9:1 C6 -> C9.1, C2.2
		  = 8 chats
		wait 10
		write C3
		poll list:1 list:2 list:3 C3 C6 C1 -> C3.2
		  = 8 chats; order 1; again C6
		wait 10
		poll list:1 list:3 C1 C5 ->
		  = 8 chats; order 1; again C1 C6
		poll list:1 C2 ->
		  = 8 chats; order 1; again C1 C6; newest first
		write C4 C5
		poll list:1 list:2 C5 C4 C8 -> C4.2, C5.2
		poll list:1 list:3 C6 C1 C7 ->
		  = 8 chats; order 1; again C6; newest first`,
	],
	[
		'all chats have news, and all of them are read: nothing is left to the next poll',
		{ habits: { order: 'activity' }, limits: { readsUnknown: 16 } },
		`make 9
		poll channels list:1 list:2 list:3 C9 C8 C7 C6 C5 C4 C3 C2 C1 list:1 ->
		  = 9 chats
		write C2
		poll list:1 list:2 list:3 C2 C6 -> C2.2
		  = 9 chats; order 1
		write all
		poll list:1 list:2 list:3 C9 C8 C7 C6 C5 C4 C3 C2 C1 -> C1.2, C2.3, C3.2, C4.2, C5.2, C6.2, C7.2, C8.2, C9.2
		  = 9 chats; order 1; newest first
		poll list:1 list:3 C3 ->`,
	],
	[
		'chats with news on pages that were not read are found by the next polls',
		{ habits: { order: 'activity', pageSize: 1 }, limits: { readsUnknown: 8 } },
		`make 6
		poll channels list:1 list:2 list:3 list:4 C6 C5 C4 C3 list:1 ->
		  : in parts 6 4 2
		  = 4 chats; page 5 of pass 1
		poll list:1 list:5 list:6 C2 C1 C6 ->
		  = 6 chats; page 2 of pass 2; since 1
		poll list:1 list:2 list:3 list:4 C3 ->
		  = 6 chats; page 5 of pass 2; since 1
		write C1
		poll list:1 list:5 list:6 C1 C2 -> C1.2
		  = 6 chats; order 1; page 2 of pass 3; since 2
		write all
		poll list:1 list:2 list:3 list:4 C6 C5 C4 C3 -> C3.2, C4.2, C5.2, C6.2
		  = 6 chats; order 1; newest first; page 2 of pass 3; pending; since 2
		poll list:1 list:2 list:3 list:4 C5 ->
		  = 6 chats; order 1; newest first; page 5 of pass 3; pending; since 2
		poll list:1 list:5 list:6 C2 C1 C6 -> C1.3, C2.2
		  = 6 chats; newest first; page 2 of pass 4; since 4`,
	],
]);

courses('counts of channels', [
	[
		'once they have changed with news, an unchanged count means that there is none',
		{ habits: { counts: 'exact' }, limits: { checkEvery: 6 } },
		`make 4
		poll channels count list:1 list:2 C4 C3 C2 C1 list:1 ->
		  = 4 chats; counts 0
		poll count list:1 list:2 C3 ->
		write C1
		poll count list:1 list:2 C1 C2 -> C1.2
		poll count ->
		  = 4 chats; counts 1
		poll count ->
		write C2 C3
		poll count list:1 list:2 C3 C2 C4 -> C2.2, C3.2
		  = 4 chats; counts 1; newest first
		poll channels count list:1 list:2 C3 ->
		  = 4 chats; counts 2; newest first
		poll count ->
		poll count ->
		poll count ->`,
	],
	[
		'an answer changes them, too: nothing is emitted',
		{ habits: { counts: 'exact' } },
		`make 4
		poll channels count list:1 list:2 C4 C3 C2 C1 list:1 ->
		  = 4 chats; counts 0
		write C1
		poll count list:1 list:2 C1 C3 -> C1.2
		poll count ->
		  = 4 chats; counts 1
		answer C1
		poll count list:1 list:2 C1 C2 ->
		poll count ->`,
	],
	[
		'a count that does not change although there was news is not relied on',
		{ habits: { counts: 'stuck' } },
		`make 3
		poll channels count list:1 C3 C2 C1 list:1 ->
		  = 3 chats; counts 0
		write C1
		poll count list:1 C1 C3 -> C1.2
		  = 3 chats; counts 0; -1 owed
		poll count list:1 C1 ->
		  = 3 chats; counts 0
		write C1
		poll count list:1 C1 C2 -> C1.3
		  = 3 chats; counts 0; -1 owed
		poll count list:1 C3 ->
		  = 3 chats; counts 0`,
	],
	[
		'a count that shows messages late',
		{ habits: { counts: 'late' } },
		`make 3
		poll channels count list:1 C3 C2 C1 list:1 ->
		  = 3 chats; counts 0
		write C1
		poll count list:1 C1 C3 -> C1.2
		poll count ->
		  = 3 chats; counts 1
		write C1
		poll count ->
		poll count ->
		write C1
		poll count list:1 C1 C2 -> C1.3, C1.4
		  = 3 chats; counts 1; -1 owed
		poll count ->
		  = 3 chats; counts 2`,
	],
	[
		'the count implies messages that no row shows: chats are read in turn until they are found',
		{ habits: { counts: 'exact', rows: 'some lie' }, limits: { readsUnknown: 8 } },
		`make 12
		poll channels count list:1 list:2 list:3 list:4 C12 C11 C10 C9 list:1 ->
		  = 12 chats; counts 0; unread C1 C2 C3 C4 C5 C6 C7 C8; pending
		poll count list:1 list:2 list:3 list:4 C8 C7 C6 C5 C11 ->
		  = 12 chats; counts 0; unread C1 C2 C3 C4; pending
		poll count list:1 list:2 list:3 list:4 C4 C3 C2 C1 C6 ->
		  = 12 chats; counts 0
		write C1
		poll count list:1 list:2 list:3 list:4 C3 C1 C7 C12 list:4 -> C1.2
		  : in turn 12 4 3
		  = 12 chats; in turn; counts 0
		write C2
		poll count list:1 list:2 list:3 list:4 C2 C5 -> C2.2
		  = 12 chats; in turn; counts 1
		poll count ->
		  = 12 chats; in turn; counts 2
		write C3
		poll count list:1 list:2 list:3 list:4 C10 C2 C8 C4 ->
		  = 12 chats; in turn; counts 2; 1 owed; newest first
		write C4
		poll count list:1 list:2 list:3 list:4 C4 C9 C11 C6 -> C4.2
		poll count list:1 list:2 list:3 list:4 C3 -> C3.2
		  = 12 chats; in turn; counts 3; newest first
		poll count ->
		poll count ->
		poll count ->
		poll count ->`,
	],
	[
		'in turn, a count that falls says nothing: chats are read as if there were none',
		{ habits: { counts: 'exact', rows: 'lie' } },
		`make 4
		poll channels count list:1 list:2 C4 C3 C2 C1 list:1 ->
		  = 4 chats; counts 0
		write C3
		poll count list:1 list:2 C3 list:1 -> C3.2
		  : in turn 4 8 1
		  = 4 chats; in turn; counts 0
		write C1
		poll count list:1 list:2 C1 -> C1.2
		  = 4 chats; in turn; counts 1
		uncount 3
		write C4
		poll count list:1 list:2 C2 C4 C3 C1 -> C4.2
		  = 4 chats; in turn; counts 2; -1 owed; newest first
		poll count ->
		  = 4 chats; in turn; counts 3; newest first`,
	],
	[
		'messages that the count implies and that are never found: the search ends, and counts are not exact',
		{ habits: { counts: 'exact' }, agent: 'A1', subscription: { query: { assigneeId: 'A1' } } },
		`make 6
		assign C1 A2
		poll channels count list:1 list:2 C6 C5 C4 C3 C2 list:1 ->
		  = 5 chats; counts 0
		write C2
		poll count list:1 list:2 C2 C6 -> C2.2
		poll count ->
		  = 5 chats; counts 1
		write C1
		poll count list:1 list:2 C3 C5 C2 C4 C6 ->
		  = 5 chats; counts 1; inexact
		poll count ->
		poll count ->
		write C1
		poll count list:1 list:2 C3 ->
		poll count ->`,
	],
	[
		'channels are listed again in every check',
		{ habits: { counts: 'exact' }, limits: { checkEvery: 4 } },
		`make 3
		poll channels count list:1 C3 C2 C1 list:1 ->
		  = 3 chats; counts 0
		write C1
		poll count list:1 C1 C3 -> C1.2
		poll count ->
		  = 3 chats; counts 1
		channels ch1 ch2
		poll count:ch1 ->
		poll channels count:ch1 count:ch2 list:1 C1 ->
		  = 3 chats; counts 0
		poll count:ch1 count:ch2 list:1 C2 ->
		write C1
		poll count:ch1 count:ch2 list:1 C1 C3 C2 -> C1.3
		  = 3 chats; counts 0; inexact
		poll count:ch1 count:ch2 ->
		  = 3 chats; counts 1; inexact
		channels ch1 ch2 ch3
		poll channels list:1 C3 ->
		  = 3 chats
		poll list:1 C1 ->`,
	],
	[
		'a channel whose count is not shown anymore',
		{ habits: { counts: 'exact' } },
		`make 3
		poll channels count list:1 C3 C2 C1 list:1 ->
		  = 3 chats; counts 0
		write C1
		poll count list:1 C1 C3 -> C1.2
		poll count ->
		  = 3 chats; counts 1
		uncount
		poll count list:1 C1 ->
		  = 3 chats
		poll list:1 C2 ->`,
	],
	[
		'of a filtered channel only',
		{ habits: { counts: 'exact' }, subscription: { query: { channelId: 'ch9' } } },
		`make 2
		poll count list:1 C2 C1 list:1 ->
		  = 2 chats; counts 0
		poll count list:1 C1 ->`,
	],
	[
		'an outage while they are read',
		{ habits: { counts: 'exact' }, limits: { checkEvery: 5 } },
		`make 3
		fail 1
		poll channels -> failed 1
		fail 2
		poll channels count -> failed 2
		poll channels count list:1 C3 C2 C1 list:1 ->
		  = 3 chats; counts 0
		write C1
		poll count list:1 C1 C3 -> C1.2
		poll count ->
		  = 3 chats; counts 1
		fail 1
		poll count -> failed 1
		  = 3 chats; counts 1; since 5
		write C1
		fail 1
		poll count -> failed 2
		fail 2
		poll count list:1 -> failed 3
		fail 1
		poll count -> failed 4
		poll count list:1 C1 C2 -> C1.3
		  = 3 chats; counts 1`,
	],
	[
		'chats that remain to be read are read although the count has not changed',
		{ habits: { counts: 'exact' }, limits: { readsUnknown: 7 } },
		`make 9
		poll channels count list:1 list:2 list:3 C9 C8 C7 C6 list:1 ->
		  = 9 chats; counts 0; unread C1 C2 C3 C4 C5; pending
		poll count list:1 list:2 list:3 C5 C4 C3 C2 C6 ->
		  = 9 chats; counts 0; unread C1; pending
		poll count list:1 list:2 list:3 C1 C3 ->
		  = 9 chats; counts 0
		poll count list:1 list:2 list:3 C1 ->
		write all
		poll count list:1 list:2 list:3 C9 C8 C7 C5 -> C5.2, C7.2, C8.2, C9.2
		  = 9 chats; counts 0; 5 owed; newest first; pending; since 4
		poll count list:1 list:2 list:3 C6 C4 C2 C3 C8 -> C2.2, C3.2, C4.2, C6.2
		  = 9 chats; counts 1; inexact; newest first; pending; since 4
		poll count list:1 list:2 list:3 C1 C7 -> C1.2
		  = 9 chats; counts 0; -1 owed; inexact; newest first
		poll count list:1 list:2 list:3 C5 ->
		  = 9 chats; counts 0; inexact; newest first
		poll count list:1 list:2 list:3 C2 ->`,
	],
	[
		'a chat to be read once more is read although the count has not changed',
		{ habits: { counts: 'exact' } },
		`make 4
		poll channels count list:1 list:2 C4 C3 C2 C1 list:1 ->
		  = 4 chats; counts 0
		write C1
		poll count list:1 list:2 C1 C3 -> C1.2
		poll count ->
		  = 4 chats; counts 1
		store C2
		poll count list:1 list:2 C2 C1 C4 C3 ->
		  = 4 chats; counts 1; inexact; again C2
		return
		poll count list:1 list:2 C2 C1 -> C2.2
		  = 4 chats; counts 1; -1 owed; inexact
		poll count ->
		  = 4 chats; counts 1; inexact`,
	],
	[
		'without times, a changed row shows that a message is recent',
		{ habits: { counts: 'exact', hasTimes: false } },
		`make 3
		poll channels count list:1 C3 C2 C1 list:1 ->
		  = 3 chats; counts 0
		write C1
		poll count list:1 C1 C3 -> C1.2
		poll count ->
		  = 3 chats; counts 1`,
	],
	[
		'in turn: if all known messages of a chat are deleted, those since it was last read are new, although others were read later',
		{ habits: { rows: 'lie' }, limits: { readsUnknown: 6 } },
		`make 9
		poll channels list:1 list:2 list:3 C9 C8 C7 C6 list:1 ->
		  = 9 chats; unread C1 C2 C3 C4 C5; pending
		poll list:1 list:2 list:3 C5 C4 C3 C2 C6 ->
		  = 9 chats; unread C1; pending
		hide all
		poll list:1 list:2 list:3 C1 C3 list:3 -> C1.2, C3.2
		  : in turn 9 4 3
		  = 9 chats; in turn
		poll list:1 list:2 list:3 C1 C7 C5 C2 -> C2.2, C5.2, C7.2
		  = 9 chats; in turn; newest first
		poll list:1 list:2 list:3 C8 C4 C9 C6 -> C4.2, C6.2, C8.2, C9.2
		poll list:1 list:2 list:3 C3 C1 C7 C5 ->
		poll list:1 list:2 list:3 C2 C8 C4 C9 ->
		write C1 C2 C3
		delete C1.1 C1.2 C2.1 C2.2 C3.1 C3.2
		poll list:1 list:2 list:3 C6 C3 C1 C7 C3:3 C1:3 -> C1.3, C3.3
		write C9
		poll list:1 list:2 list:3 C5 C2 C8 C4 C2:3 -> C2.3
		poll list:1 list:2 list:3 C9 C6 C3 C1 -> C9.3
		poll list:1 list:2 list:3 C7 C5 C2 C8 ->`,
	],
	[
		'a list in parts: a row that changed before the counts were read does not disprove them',
		{ habits: { counts: 'exact' }, limits: { readsUnknown: 8, listPages: 20 } },
		`make 24
		poll channels count list:1 list:2 list:3 list:4 C24 C23 C22 C21 list:1 ->
		  : in parts 8 4 3
		  = 12 chats; counts 0; unread C13 C14 C15 C16 C17 C18 C19 C20; page 5 of pass 1; its chats pending; pending
		poll count list:1 list:5 list:6 list:7 C12 C11 C10 C9 C6 ->
		  = 21 chats; counts 0; unread C4 C5 C7 C8 C13 C14 C15 C16 C17 C18 C19 C20; page 8 of pass 1; its chats pending; pending; since 1
		poll count list:1 list:8 C3 C2 C1 C23 ->
		  = 24 chats; counts 0; unread C4 C5 C7 C8 C13 C14 C15 C16 C17 C18 C19 C20; page 2 of pass 2; pending; since 1
		write C1
		poll count list:1 list:2 list:3 list:4 C20 C19 C18 C17 C21 ->
		  = 24 chats; counts 0; 1 owed; unread C4 C5 C7 C8 C13 C14 C15 C16; page 5 of pass 2; its chats pending; pending; since 1
		poll count list:1 list:5 list:6 list:7 C8 C7 C5 C4 C6 ->
		  = 24 chats; counts 0; 1 owed; unread C13 C14 C15 C16; page 8 of pass 2; its chats pending; pending; since 1
		poll count list:1 list:8 C1 C23 -> C1.2
		  = 24 chats; counts 0; unread C13 C14 C15 C16; page 2 of pass 3; pending; since 3
		poll count list:1 list:2 list:3 list:4 C16 C15 C14 C13 C18 ->
		  = 24 chats; counts 0; page 5 of pass 3; pending; since 3
		poll count list:1 list:5 list:6 list:7 C7 ->
		  = 24 chats; counts 0; page 8 of pass 3; pending; since 3
		write C1
		poll count list:1 list:8 C1 C22 -> C1.3
		  = 24 chats; counts 0; page 2 of pass 4; since 6
		poll count ->
		  = 24 chats; counts 1; page 2 of pass 4
		poll count ->
		write C8
		poll count list:1 list:2 list:3 list:4 C15 C14 C18 C13 ->
		  = 24 chats; counts 1; 1 owed; page 5 of pass 4; since 11
		poll count list:1 list:5 list:6 list:7 C8 C12 -> C8.2
		  = 24 chats; counts 1; newest first; page 8 of pass 4; since 11
		poll count ->
		  = 24 chats; counts 1; newest first; page 8 of pass 4
		poll count ->
		poll count ->`,
	],
	[
		'a list in parts: only its time shows that a message is recent',
		{ habits: { counts: 'exact' }, limits: { readsUnknown: 12 } },
		`make 21
		poll channels count list:1 list:2 list:3 list:4 C21 C20 C19 C18 C17 C16 list:1 ->
		  : in parts 7 6 2
		  = 12 chats; counts 0; unread C10 C11 C12 C13 C14 C15; page 5 of pass 1; its chats pending; pending
		poll count list:1 list:5 list:6 list:7 C9 C8 C7 C6 C5 C4 C3 C21 ->
		  = 21 chats; counts 0; unread C1 C2 C10 C11 C12 C13 C14 C15; page 2 of pass 2; pending; since 1
		poll count list:1 list:2 list:3 list:4 C15 C14 C13 C12 C11 C10 C21 ->
		  = 21 chats; counts 0; unread C1 C2; page 5 of pass 2; pending; since 1
		poll count list:1 list:5 list:6 list:7 C2 C1 C6 ->
		  = 21 chats; counts 0; page 2 of pass 3; since 2
		poll count list:1 list:2 list:3 list:4 C11 ->
		  = 21 chats; counts 0; page 5 of pass 3; since 2
		poll count list:1 list:5 list:6 list:7 C20 ->
		  = 21 chats; counts 0; page 2 of pass 4; since 4
		write C19
		poll count list:1 list:2 list:3 list:4 C19 C20 -> C19.2
		  = 21 chats; counts 0; page 5 of pass 4; since 4
		poll count ->
		  = 21 chats; counts 1; page 5 of pass 4
		write C2
		poll count list:1 list:5 list:6 list:7 C2 C3 -> C2.2
		  = 21 chats; counts 1; page 2 of pass 5; since 6
		poll count ->
		  = 21 chats; counts 2; page 2 of pass 5
		poll count ->
		poll count ->`,
	],
]);

courses('rows that do not show news', [
	[
		'a message that a chat in turn has although its row did not change: all chats are read in turn from now on',
		{ habits: { rows: 'lie' }, limits: { readsUnknown: 7 } },
		`make 8
		poll channels list:1 list:2 list:3 C8 C7 C6 C5 list:1 ->
		  = 8 chats; unread C1 C2 C3 C4; pending
		poll list:1 list:2 list:3 C4 C3 C2 C1 C6 ->
		  = 8 chats
		poll list:1 list:2 list:3 C3 ->
		poll list:1 list:2 list:3 C1 ->
		write C1
		poll list:1 list:2 list:3 C7 ->
		poll list:1 list:2 list:3 C5 ->
		poll list:1 list:2 list:3 C2 ->
		poll list:1 list:2 list:3 C8 ->
		poll list:1 list:2 list:3 C4 ->
		poll list:1 list:2 list:3 C6 ->
		poll list:1 list:2 list:3 C3 ->
		write all
		poll list:1 list:2 list:3 C1 list:3 -> C1.2, C1.3
		  : in turn 8 4 2
		  = 8 chats; in turn
		poll list:1 list:2 list:3 C7 C5 C2 C8 -> C2.2, C5.2, C7.2, C8.2
		  = 8 chats; in turn; newest first
		make 1*2
		poll list:1 list:2 list:3 C9 C9:1 C4 C6 -> C4.2, C6.2, C9.1, C9.2
		  = 9 chats; in turn; newest first
		poll list:1 list:2 list:3 C3 C1 C7 C5 -> C3.2`,
	],
	[
		'a message that arrives after the list was read is no such case',
		{},
		`make 4
		poll channels list:1 list:2 C4 C3 C2 C1 list:1 ->
		  = 4 chats
		during 4: write C3
		poll list:1 list:2 C3 ->
		poll list:1 list:2 C1 ->
		poll list:1 list:2 C2 ->`,
	],
	[
		'some rows show it: these are read first',
		{ habits: { rows: 'some lie' }, limits: { readsUnknown: 10 } },
		`make 9
		poll channels list:1 list:2 list:3 C9 C8 C7 C6 C5 C4 list:1 ->
		  = 9 chats; unread C1 C2 C3; pending
		poll list:1 list:2 list:3 C3 C2 C1 C6 ->
		  = 9 chats
		write C1
		poll list:1 list:2 list:3 C1 C3 -> C1.2
		write C2
		poll list:1 list:2 list:3 C1 ->
		poll list:1 list:2 list:3 C7 ->
		poll list:1 list:2 list:3 C5 ->
		poll list:1 list:2 list:3 C2 list:3 -> C2.2
		  : in turn 9 6 2
		  = 9 chats; in turn; newest first
		write C1 C2 C3 C4
		poll list:1 list:2 list:3 C3 C1 C8 C4 C9 C6 C7 -> C1.3, C3.2, C4.2
		poll list:1 list:2 list:3 C5 C2 C8 C4 C9 C6 C3 -> C2.3
		poll list:1 list:2 list:3 C1 C7 C5 C2 C8 C4 C9 ->
		write all
		poll list:1 list:2 list:3 C6 C3 C1 C7 C5 C2 C8 -> C1.4, C2.4, C3.3, C5.2, C6.2, C7.2, C8.2
		poll list:1 list:2 list:3 C9 C4 C6 C3 C1 C7 C5 -> C4.3, C9.2
		poll list:1 list:2 list:3 C2 C8 C4 C9 C6 C3 C1 ->
		poll list:1 list:2 list:3 C7 C5 C2 C8 C4 C9 C6 ->`,
	],
	[
		'a field that differs in every response is left out',
		{ habits: { rows: 'fetchedAt' } },
		`make 4
		poll channels list:1 list:2 C4 C3 C2 C1 list:1 ->
		  = 4 chats; without fetchedAt
		poll list:1 list:2 C3 ->
		write C1
		poll list:1 list:2 C1 C2 -> C1.2
		poll list:1 list:2 C4 ->`,
	],
	[
		'of fewer than three chats it is not recognized; they are read in every poll anyway',
		{ habits: { rows: 'fetchedAt' } },
		`make 2
		poll channels list:1 C2 C1 list:1 ->
		  = 2 chats
		poll list:1 C2 C1 ->
		  = 2 chats; again C1 C2
		write C1
		poll list:1 C2 C1 -> C1.2
		  = 2 chats; again C2
		make 2
		poll list:1 list:2 C4 C3 C2 C1 C4:1 C3:1 -> C3.1, C4.1
		  = 4 chats; again C1 C2
		poll list:1 list:2 C4 C3 C2 C1 list:1 ->
		  = 4 chats; without fetchedAt; again C1 C2 C3 C4; newest first
		poll list:1 list:2 C4 C3 C2 C1 ->
		  = 4 chats; without fetchedAt; newest first`,
	],
	[
		'all rows change without news, several times: chats are read in turn',
		{},
		`make 5
		poll channels list:1 list:2 C5 C4 C3 C2 C1 list:1 ->
		  = 5 chats
		touch all
		poll list:1 list:2 C5 C4 C3 C2 C1 list:1 ->
		  = 5 chats; again C1 C2 C3 C4 C5
		poll list:1 list:2 C5 C4 C3 C2 C1 ->
		  = 5 chats
		touch all
		poll list:1 list:2 C5 C4 C3 C2 C1 list:1 ->
		  = 5 chats; again C1 C2 C3 C4 C5
		touch all
		poll list:1 list:2 C5 C4 C3 C2 C1 list:1 ->
		  : in turn 5 9 1
		  = 5 chats; in turn; again C1 C2 C3 C4 C5
		touch all
		poll list:1 list:2 C3 C1 C5 C2 C4 ->
		  = 5 chats; in turn
		poll list:1 list:2 C3 C1 C5 C2 C4 ->`,
	],
	[
		'all rows change, and one chat has news: rows are relied on',
		{},
		`make 5
		poll channels list:1 list:2 C5 C4 C3 C2 C1 list:1 ->
		  = 5 chats
		touch all
		poll list:1 list:2 C5 C4 C3 C2 C1 list:1 ->
		  = 5 chats; again C1 C2 C3 C4 C5
		touch all
		write C1
		poll list:1 list:2 C5 C4 C3 C2 C1 -> C1.2
		  = 5 chats; again C2 C3 C4 C5
		touch all
		poll list:1 list:2 C5 C4 C3 C2 C1 list:1 ->
		  = 5 chats; again C1 C2 C3 C4 C5
		touch C1
		touch C2
		poll list:1 list:2 C2 C1 C5 C4 C3 ->
		  = 5 chats; again C1 C2; newest first`,
	],
	[
		'exact counts end the search as soon as everything is found, once they have proven right; not in a check',
		{
			habits: { rows: 'lie', counts: 'exact' },
			limits: { readsUnknown: 30, reads: 30, proofs: 2, checkEvery: 9 },
		},
		`make 20
		poll channels count list:1 list:2 list:3 list:4 list:5 list:6 list:7 C20 C19 C18 C17 C16 C15 C14 C13 C12 C11 C10 C9 C8 C7 C6 C5 C4 C3 C2 C1 list:1 ->
		  = 20 chats; counts 0
		write C16
		poll count list:1 list:2 list:3 list:4 list:5 list:6 list:7 C16 list:2 -> C16.2
		  : in turn 20 21 1
		  = 20 chats; in turn; counts 0
		write C11
		poll count list:1 list:2 list:3 list:4 list:5 list:6 list:7 C11 C6 C20 C3 C1 C15 C14 C18 C7 C12 C13 C5 C19 C10 C2 C8 C17 C4 C9 C16 -> C11.2
		  = 20 chats; in turn; counts 1
		write C3
		poll count list:1 list:2 list:3 list:4 list:5 list:6 list:7 C11 C6 C20 C3 C1 C15 C14 C18 C7 -> C3.2
		  = 20 chats; in turn; counts 2; newest first
		write C2
		poll count list:1 list:2 list:3 list:4 list:5 list:6 list:7 C12 C13 C5 C19 C10 C2 C8 C17 C4 -> C2.2
		  = 20 chats; in turn; counts 3; newest first
		write C3
		poll count list:1 list:2 list:3 list:4 list:5 list:6 list:7 C9 C16 C11 C6 C20 C3 C1 C15 C14 -> C3.3
		  = 20 chats; in turn; counts 4; newest first
		fail 12
		write C5
		poll count list:1 list:2 list:3 list:4 list:5 list:6 list:7 C18 C7 C12 C13 C5 C19 C10 C2 C8 -> failed 1
		  = 20 chats; in turn; counts 5; 1 owed; newest first; pending; since 6
		poll count list:1 list:2 list:3 list:4 list:5 list:6 list:7 C13 C5 C19 C10 C2 C8 C17 C4 C9 -> C5.2
		  = 20 chats; in turn; counts 5; newest first
		write C9
		poll count list:1 list:2 list:3 list:4 list:5 list:6 list:7 C16 C11 C6 C20 C3 C1 C15 C14 C18 C7 C12 C13 C5 C19 C10 C2 C8 C17 C4 C9 -> C9.2
		  = 20 chats; in turn; counts 6; newest first
		poll channels count list:1 list:2 list:3 list:4 list:5 list:6 list:7 C16 C11 C6 C20 C3 C1 C15 C14 C18 C7 C12 C13 C5 C19 C10 C2 C8 C17 C4 C9 ->
		  = 20 chats; in turn; counts 7; newest first
		poll count ->`,
	],
	[
		'chats whose turn is first and for which the service fails do not hold up the others',
		{ habits: { rows: 'lie' }, limits: { readsUnknown: 30, reads: 30 } },
		`make 20
		poll channels list:1 list:2 list:3 list:4 list:5 list:6 list:7 C20 C19 C18 C17 C16 C15 C14 C13 C12 C11 C10 C9 C8 C7 C6 C5 C4 C3 C2 C1 list:1 ->
		  = 20 chats
		write C16
		poll list:1 list:2 list:3 list:4 list:5 list:6 list:7 C16 list:2 -> C16.2
		  : in turn 20 22 1
		  = 20 chats; in turn
		reject C11 500
		reject C6 500
		reject C20 500
		write all
		poll list:1 list:2 list:3 list:4 list:5 list:6 list:7 C11 C6 C20 C3 C1 C15 C14 C18 C7 -> failed 1, C1.2, C3.2, C7.2, C14.2, C15.2, C18.2
		  = 20 chats; in turn; newest first; pending; since 2
		poll list:1 list:2 list:3 list:4 list:5 list:6 list:7 C12 C13 C5 C19 C10 C2 C8 C17 C4 C9 C16 C11 C6 C20 C3 C1 C15 -> failed 2, C2.2, C4.2, C5.2, C8.2, C9.2, C10.2, C12.2, C13.2, C16.3, C17.2, C19.2
		poll list:1 list:2 list:3 list:4 list:5 list:6 list:7 C11 C6 C20 C3 C1 C15 C14 C18 C7 -> failed 3
		accept C11
		accept C6
		accept C20
		poll list:1 list:2 list:3 list:4 list:5 list:6 list:7 C12 C13 C5 C19 C10 C2 C8 C17 C4 C9 C16 C11 C6 C20 C3 C1 C15 C14 C18 C7 -> C6.2, C11.2, C20.2
		  = 20 chats; in turn; newest first`,
	],
	[
		'a slow service: the poll ends in time, and the next one continues',
		{ habits: { rows: 'lie' }, limits: { readsUnknown: 30, reads: 30, inTurnMs: 8_000 } },
		`make 20
		poll channels list:1 list:2 list:3 list:4 list:5 list:6 list:7 C20 C19 C18 C17 C16 C15 C14 C13 C12 C11 C10 C9 C8 C7 C6 C5 C4 C3 C2 C1 list:1 ->
		  = 20 chats
		write all
		poll list:1 list:2 list:3 list:4 list:5 list:6 list:7 C16 list:2 -> C16.2
		  : in turn 20 22 1
		  = 20 chats; in turn
		slow 1000
		poll list:1 list:2 list:3 list:4 list:5 list:6 list:7 C11 -> C11.2
		slow 1000
		poll list:1 list:2 list:3 list:4 list:5 list:6 list:7 C6 -> C6.2
		poll list:1 list:2 list:3 list:4 list:5 list:6 list:7 C20 C3 C1 C15 C14 C18 C7 C12 C13 C5 C19 C10 C2 C8 C17 C4 C9 C16 C11 C6 -> C1.2, C2.2, C3.2, C4.2, C5.2, C7.2, C8.2, C9.2, C10.2, C12.2, C13.2, C14.2, C15.2, C17.2, C18.2, C19.2, C20.2`,
	],
	[
		'an outage in turn: the next poll continues after the chats that were read',
		{ habits: { rows: 'lie' } },
		`make 8
		poll channels list:1 list:2 list:3 C8 C7 C6 C5 C4 C3 C2 C1 list:1 ->
		  = 8 chats
		write C1 C2
		poll list:1 list:2 list:3 C6 ->
		poll list:1 list:2 list:3 C3 ->
		write all
		fail 4
		poll list:1 list:2 list:3 C1 -> failed 1
		  = 8 chats; pending; since 3
		fail 3
		poll list:1 list:2 list:3 -> failed 2
		fail 2
		poll list:1 list:2 list:3 -> failed 3
		poll list:1 list:2 list:3 C7 list:1 -> C7.2
		  : in turn 8 8 1
		  = 8 chats; in turn
		poll list:1 list:2 list:3 C5 C2 C8 C4 C6 C3 C1 C7 -> C1.2, C1.3, C2.2, C2.3, C3.2, C4.2, C5.2, C6.2, C8.2
		  = 8 chats; in turn; newest first`,
	],
	[
		'rejected chats in turn',
		{ habits: { rows: 'lie' } },
		`make 5
		poll channels list:1 list:2 C5 C4 C3 C2 C1 list:1 ->
		  = 5 chats
		write all
		poll list:1 list:2 C3 list:1 -> C3.2
		  : in turn 5 9 1
		  = 5 chats; in turn
		poll list:1 list:2 C1 C5 C2 C4 C3 -> C1.2, C2.2, C4.2, C5.2
		write all
		reject C2 403
		reject C3 500
		poll list:1 list:2 C1 C5 C2 C4 C3 -> C1.3, C4.3, C5.3
		  : unreadable 2 403
		  = 5 chats; in turn; newest first
		poll list:1 list:2 C1 C5 C2 C4 C3 ->
		  : unreadable 2 403
		accept C2
		accept C3
		poll list:1 list:2 C1 C5 C2 C4 C3 -> C2.3, C3.3
		poll list:1 list:2 C1 C5 C2 C4 C3 ->`,
	],
	[
		'if all known messages are deleted, those since the round before the last one are new',
		{ habits: { rows: 'lie' }, limits: { readsUnknown: 8 } },
		`make 12
		poll channels list:1 list:2 list:3 list:4 C12 C11 C10 C9 list:1 ->
		  = 12 chats; unread C1 C2 C3 C4 C5 C6 C7 C8; pending
		poll list:1 list:2 list:3 list:4 C8 C7 C6 C5 C11 ->
		  = 12 chats; unread C1 C2 C3 C4; pending
		hide C6
		poll list:1 list:2 list:3 list:4 C4 C3 C2 C1 C6 list:3 -> C6.2
		  : in turn 12 4 3
		  = 12 chats; in turn
		hide C6*4
		poll list:1 list:2 list:3 list:4 C3 C1 C7 C12 ->
		poll list:1 list:2 list:3 list:4 C5 C10 C2 C8 ->
		poll list:1 list:2 list:3 list:4 C4 C9 C11 C6 C6:3 -> C6.3, C6.4, C6.5, C6.6
		poll list:1 list:2 list:3 list:4 C3 C1 C7 C12 ->
		poll list:1 list:2 list:3 list:4 C5 C10 C2 C8 ->
		poll list:1 list:2 list:3 list:4 C4 C9 C11 C6 ->
		hide C6
		poll list:1 list:2 list:3 list:4 C3 C1 C7 C12 ->
		poll list:1 list:2 list:3 list:4 C5 C10 C2 C8 ->
		delete C6.4 C6.5 C6.6
		poll list:1 list:2 list:3 list:4 C4 C9 C11 C6 C6:1 -> C6.7
		  = 12 chats; in turn; newest first
		poll list:1 list:2 list:3 list:4 C3 C1 C7 C12 ->
		poll list:1 list:2 list:3 list:4 C5 C10 C2 C8 ->
		poll list:1 list:2 list:3 list:4 C4 C9 C11 C6 ->`,
	],
	[
		'if every poll reads all chats, each is a round: what was emitted two rounds ago is not emitted again',
		{ habits: { rows: 'lie' } },
		`make 3
		poll channels list:1 C3 C2 C1 list:1 ->
		  = 3 chats
		write C3
		poll list:1 C3 list:1 -> C3.2
		  : in turn 3 10 1
		  = 3 chats; in turn
		write C1*4
		poll list:1 C1 C1:2 C2 C3 -> C1.2, C1.3, C1.4, C1.5
		poll list:1 C1 C2 C3 ->
		poll list:1 C1 C2 C3 ->
		delete C1.5 C1.4 C1.3
		poll list:1 C1 C1:1 C2 C3 ->`,
	],
	[
		'then a long history is not read further than three pages with messages from before these rounds',
		{ habits: { rows: 'lie' }, limits: { readsUnknown: 14 } },
		`make 3
		poll channels list:1 C3 C2 C1 list:1 ->
		  = 3 chats
		write C3
		poll list:1 C3 list:1 -> C3.2
		  : in turn 3 12 1
		  = 3 chats; in turn
		write C1*24
		poll list:1 C1 C1:22 C1:18 C1:14 C1:10 C1:6 C1:2 C2 C3 -> C1.2, C1.3, C1.4, C1.5, C1.6, C1.7, C1.8, C1.9, C1.10, C1.11, C1.12, C1.13, C1.14, C1.15, C1.16, C1.17, C1.18, C1.19, C1.20, C1.21, C1.22, C1.23, C1.24, C1.25
		wait 10
		poll list:1 C1 C2 C3 ->
		poll list:1 C1 C2 C3 ->
		delete C1.25 C1.24 C1.23
		write C1
		poll list:1 C1 C1:20 C1:16 C1:12 C2 C3 -> C1.26`,
	],
	[
		'rounds of a list that is read in parts',
		{ habits: { rows: 'lie' }, limits: { readsUnknown: 7 } },
		`make 15
		poll channels list:1 list:2 list:3 C15 C14 C13 C12 list:1 ->
		  : in parts 5 3 2
		  = 9 chats; unread C7 C8 C9 C10 C11; page 4 of pass 1; its chats pending; pending
		poll list:1 list:4 list:5 C6 C5 C4 C3 C1 ->
		  = 15 chats; unread C2 C7 C8 C9 C10 C11; page 2 of pass 2; pending; since 1
		poll list:1 list:2 list:3 C11 C10 C9 C8 C14 ->
		  = 15 chats; unread C2 C7; page 4 of pass 2; its chats pending; pending; since 1
		poll list:1 list:4 list:5 C2 C3 ->
		  = 15 chats; unread C7; page 2 of pass 3; pending; since 2
		poll list:1 list:2 list:3 C7 C14 ->
		  = 15 chats; page 4 of pass 3; pending; since 2
		write all
		poll list:1 list:4 list:5 C1 list:5 -> C1.2
		  : in turn 15 4 4
		  = 15 chats; in turn; page 2 of pass 4; since 4
		poll list:1 list:2 list:3 C15 C14 C7 C12 -> C7.2, C12.2, C14.2, C15.2
		  = 15 chats; in turn; newest first; page 2 of pass 4; since 4
		write C7
		delete C7.1 C7.2
		poll list:1 list:2 list:3 C13 C10 C8 C9 -> C8.2, C9.2, C10.2, C13.2
		  = 15 chats; in turn; newest first; page 4 of pass 4; since 4
		poll list:1 list:4 list:5 C6 C3 C1 C5 -> C3.2, C5.2, C6.2
		poll list:1 list:4 list:5 C2 C4 -> C2.2, C4.2
		  = 15 chats; in turn; newest first; page 2 of pass 5; since 6
		poll list:1 list:2 list:3 C11 C15 C14 C7 C7:3 -> C11.2, C7.3
		write C15*3
		poll list:1 list:2 list:3 C12 C13 C10 C8 ->
		poll list:1 list:2 list:3 C9 ->
		  = 15 chats; in turn; newest first; page 4 of pass 5; since 6
		poll list:1 list:4 list:5 C6 C3 C1 C5 ->
		poll list:1 list:4 list:5 C2 C4 ->
		  = 15 chats; in turn; newest first; page 2 of pass 6; since 10
		poll list:1 list:2 list:3 C11 C15 C14 C7 -> C15.3, C15.4, C15.5
		poll list:1 list:2 list:3 C12 C13 C10 C8 ->
		poll list:1 list:2 list:3 C9 ->
		  = 15 chats; in turn; newest first; page 4 of pass 6; since 10
		poll list:1 list:4 list:5 C6 C3 C1 C5 ->
		poll list:1 list:4 list:5 C2 C4 ->
		  = 15 chats; in turn; newest first; page 2 of pass 7; since 15
		poll list:1 list:2 list:3 C11 C15 C14 C7 ->
		delete C15.3 C15.4 C15.5
		poll list:1 list:2 list:3 C12 C13 C10 C8 ->
		poll list:1 list:2 list:3 C9 ->
		  = 15 chats; in turn; newest first; page 4 of pass 7; since 15
		poll list:1 list:4 list:5 C6 C3 C1 C5 ->
		poll list:1 list:4 list:5 C2 C4 ->
		  = 15 chats; in turn; newest first; page 2 of pass 8; since 20
		poll list:1 list:2 list:3 C11 C15 C14 C7 C15:1 ->`,
	],
	[
		'an outage is no evidence against rows',
		{},
		`make 5
		poll channels list:1 list:2 C5 C4 C3 C2 C1 list:1 ->
		  = 5 chats
		touch all
		fail 7
		poll list:1 list:2 C5 C4 C3 C2 C1 list:1 -> failed 1
		  = 5 chats; again C2 C3 C4 C5; pending; since 1
		poll list:1 list:2 C1 C5 C4 C3 C2 ->
		  = 5 chats; again C1
		touch all
		fail 7
		poll list:1 list:2 C5 C4 C3 C2 C1 list:1 -> failed 1
		  = 5 chats; again C1 C2 C3 C4 C5; pending; since 3
		touch all
		fail 7
		poll list:1 list:2 C5 C4 C3 C2 C1 list:1 -> failed 2
		poll list:1 list:2 C1 C5 C4 C3 C2 ->
		  = 5 chats; again C1`,
	],
	[
		'in turn, chats whose rows changed are read first, with half of what a poll may read, unless most rows changed',
		{ limits: { readsUnknown: 10 } },
		`make 12
		poll channels list:1 list:2 list:3 list:4 C12 C11 C10 C9 C8 list:1 ->
		  = 12 chats; unread C1 C2 C3 C4 C5 C6 C7; pending
		poll list:1 list:2 list:3 list:4 C7 C6 C5 C4 C3 C2 C11 ->
		  = 12 chats; unread C1; pending
		hide C6
		poll list:1 list:2 list:3 list:4 C1 C6 list:3 -> C6.2
		  : in turn 12 5 3
		  = 12 chats; in turn
		write C1 C2 C3 C4
		poll list:1 list:2 list:3 list:4 C4 C3 C1 C7 C12 C5 -> C1.2, C3.2, C4.2
		  = 12 chats; in turn; newest first; pending; since 3
		poll list:1 list:2 list:3 list:4 C2 C7 C12 C5 C10 C8 -> C2.2
		  = 12 chats; in turn; newest first
		touch C1 C2 C3 C4 C5 C6
		poll list:1 list:2 list:3 list:4 C4 C9 C11 C6 C3 C1 ->
		make 2
		touch C1 C2 C3 C4 C5 C6 C7
		poll list:1 list:2 list:3 list:4 list:5 C14 C13 C14:1 C13:1 C7 -> C13.1, C14.1
		  = 14 chats; in turn; newest first
		poll list:1 list:2 list:3 list:4 list:5 C6 C5 C2 C12 C13 ->
		  = 14 chats; in turn; newest first; pending; since 7`,
	],
	[
		'in turn, where all rows change, a message that is found late is no evidence about counts',
		{ habits: { counts: 'exact' }, limits: { readsUnknown: 9 } },
		`make 12
		poll channels count list:1 list:2 list:3 list:4 C12 C11 C10 C9 list:1 ->
		  = 12 chats; counts 0; unread C1 C2 C3 C4 C5 C6 C7 C8; pending
		poll count list:1 list:2 list:3 list:4 C8 C7 C6 C5 C11 ->
		  = 12 chats; counts 0; unread C1 C2 C3 C4; pending
		poll count list:1 list:2 list:3 list:4 C4 C3 C2 C1 C6 ->
		  = 12 chats; counts 0
		hide C3
		poll count list:1 list:2 list:3 list:4 C3 list:4 -> C3.2
		  : in turn 12 4 3
		  = 12 chats; in turn; counts 0
		poll count ->
		  = 12 chats; in turn; counts 1
		touch all
		hide C2
		poll count list:1 list:2 list:3 list:4 C1 C7 C12 C5 ->
		  = 12 chats; in turn; counts 1; 1 owed
		touch all
		hide C11
		poll count list:1 list:2 list:3 list:4 C10 C2 C8 C4 -> C2.2
		touch all
		poll count list:1 list:2 list:3 list:4 C9 C11 C6 C3 -> C11.2
		  = 12 chats; in turn; counts 1; newest first
		touch all
		poll count ->
		poll count ->`,
	],
]);

courses('rows that shift while the list is read', [
	[
		'a chat that takes the lead is at the head of the list, which is read again',
		{ habits: { order: 'activity' } },
		`make 8
		during 3: write C1
		poll channels list:1 list:2 list:3 list:1 list:2 C1 C8 C7 C6 C5 C4 list:1 ->
		  = 8 chats; unread C2 C3; pending
		during 3: write C2
		poll list:1 list:2 list:3 list:1 C2 C3 C6 -> C2.2
		  = 8 chats; order 1
		poll list:1 list:2 C6 ->
		during 2: write C1
		poll list:1 list:3 C3 ->
		poll list:1 C1 C8 -> C1.3`,
	],
	[
		'the list grows meanwhile: its end is read, too',
		{},
		`make 6
		during 3: make 1
		poll channels list:1 list:2 list:1 list:3 list:2 C7 C6 C5 C4 C3 C2 C7:1 list:1 ->
		  = 7 chats; unread C1; pending
		poll list:1 list:2 list:3 C1 C6 ->
		  = 7 chats
		during 2: make 2
		poll list:1 list:2 list:3 list:1 C9 C8 C9:1 C8:1 C3 -> C8.1, C9.1
		  = 9 chats
		poll list:1 list:2 list:3 C1 ->`,
	],
	[
		'in the first poll, until everything is found',
		{ habits: { order: 'activity' }, limits: { readsUnknown: 20 } },
		`make 12
		during 3: write C1 C2 C3 C4 C5
		poll channels list:1 list:2 list:3 list:4 list:1 list:2 C5 C4 C3 C12 C11 C10 C2 C1 C9 C8 C7 C6 list:1 ->
		  = 12 chats
		poll list:1 list:2 list:3 list:4 C11 ->`,
	],
	[
		'a chat that is dropped meanwhile: a row is missed, and the next poll finds it',
		{},
		`make 8
		poll channels list:1 list:2 list:3 C8 C7 C6 C5 C4 C3 C2 C1 list:1 ->
		  = 8 chats
		write C4
		during 2: drop C8
		poll list:1 list:2 list:3 C4 C6 -> C4.2
		poll list:1 list:2 list:3 C3 ->`,
	],
	[
		'an outage while the list is read again',
		{ habits: { order: 'activity' } },
		`make 8
		poll channels list:1 list:2 list:3 C8 C7 C6 C5 C4 C3 C2 C1 list:1 ->
		  = 8 chats
		during 3: write C1
		fail 4
		poll list:1 list:2 list:3 list:1 -> failed 1
		  = 8 chats; since 1
		poll list:1 list:2 list:3 C1 C6 -> C1.2
		  = 8 chats; order 1`,
	],
	[
		'the list grows by a page in the first poll',
		{},
		`make 9
		during 4: make 1
		poll channels list:1 list:2 list:3 list:1 list:4 list:2 C10 C9 C8 C7 C6 C10:1 list:1 ->
		  = 10 chats; unread C1 C2 C3 C4 C5; pending
		poll list:1 list:2 list:3 list:4 C5 C4 C3 C2 C1 C6 ->
		  = 10 chats`,
	],
	[
		'if fewer are found than were missed, every page is read again',
		{ habits: { order: 'activity' } },
		`make 9
		during 4: write C1 C2
		during 5: drop C2
		poll channels list:1 list:2 list:3 list:1 list:2 list:3 C1 C9 C8 C7 C6 list:1 ->
		  = 8 chats; unread C3 C4 C5; pending
		poll list:1 list:2 list:3 C5 C4 C3 C6 ->
		  = 8 chats`,
	],
	[
		'of a list that is read in parts, the next pass finds them',
		{ habits: { order: 'activity' }, limits: { readsUnknown: 8 } },
		`make 15
		during 3: write C1
		poll channels list:1 list:2 list:3 C15 C14 C13 C12 list:1 ->
		  : in parts 5 4 2
		  = 8 chats; unread C8 C9 C10 C11; page 4 of pass 1; its chats pending; pending
		poll list:1 list:4 list:5 C1 C7 C6 C5 C4 C3 -> C1.2
		  = 15 chats; unread C2 C8 C9 C10 C11; page 2 of pass 2; pending; since 1
		during 2: write C3 C2
		poll list:1 list:2 list:3 C11 C10 C15 ->
		  = 15 chats; unread C2 C8 C9; page 4 of pass 2; pending; since 1
		poll list:1 list:4 list:5 C3 C2 C9 C8 C1 -> C3.2, C2.2
		  = 15 chats; order 1; page 2 of pass 3; since 2
		poll list:1 list:4 C7 ->
		  = 15 chats; order 1; page 2 of pass 3`,
	],
	[
		'pages that arrive in another order are in the order of the list',
		{ limits: { readsUnknown: 9 } },
		`make 9
		reverse
		poll channels list:1 list:2 list:3 C9 C8 C7 C6 C5 list:1 ->
		  = 9 chats; unread C1 C2 C3 C4; pending
		write all
		poll list:1 list:2 list:3 C9 C8 C7 C6 C3 C1 -> C1.2, C3.2, C6.2, C7.2, C8.2, C9.2
		  = 9 chats; unread C2 C4; pending; since 1
		poll list:1 list:2 list:3 C5 C4 C2 C7 -> C2.2, C4.2, C5.2
		  = 9 chats
		poll list:1 list:2 list:3 C5 ->`,
	],
]);

courses('long lists', [
	[
		'are read in parts, the first page in every poll; chats with news are read as they are listed',
		{ limits: { readsUnknown: 8 } },
		`make 18
		poll channels list:1 list:2 list:3 list:4 C18 C17 C16 C15 list:1 ->
		  : in parts 6 4 2
		  = 12 chats; unread C7 C8 C9 C10 C11 C12 C13 C14; page 5 of pass 1; its chats pending; pending
		poll list:1 list:5 list:6 C6 C5 C4 C3 C2 C16 ->
		  = 18 chats; unread C1 C7 C8 C9 C10 C11 C12 C13 C14; page 2 of pass 2; pending; since 1
		poll list:1 list:2 list:3 list:4 C14 C13 C12 C11 C15 ->
		  = 18 chats; unread C1 C7 C8 C9 C10; page 5 of pass 2; its chats pending; pending; since 1
		poll list:1 list:5 list:6 C1 C6 ->
		  = 18 chats; unread C7 C8 C9 C10; page 2 of pass 3; pending; since 2
		poll list:1 list:2 list:3 list:4 C10 C9 C8 C7 C15 ->
		  = 18 chats; page 5 of pass 3; pending; since 2
		poll list:1 list:5 list:6 C3 ->
		  = 18 chats; page 2 of pass 4; since 4
		poll list:1 list:2 list:3 list:4 C14 ->
		  = 18 chats; page 5 of pass 4; since 4
		write C18 C9 C1
		poll list:1 list:5 list:6 C18 C1 C5 -> C18.2, C1.2
		  = 18 chats; page 2 of pass 5; since 6
		poll list:1 list:2 list:3 list:4 C9 C18 -> C9.2
		  = 18 chats; newest first; page 5 of pass 5; since 6
		poll list:1 list:5 list:6 C18 ->
		  = 18 chats; newest first; page 2 of pass 6; since 8
		make 1
		poll list:1 list:2 list:3 list:4 C19 C19:1 C12 -> C19.1
		  = 19 chats; newest first; page 5 of pass 6; since 8
		poll list:1 list:5 list:6 list:7 C19 ->
		  = 19 chats; newest first; page 2 of pass 7; since 10`,
	],
	[
		'an outage in a part: this pass does not count as complete',
		{ limits: { readsUnknown: 10 } },
		`make 18
		poll channels list:1 list:2 list:3 list:4 C18 C17 C16 C15 C14 list:1 ->
		  : in parts 6 5 2
		  = 12 chats; unread C7 C8 C9 C10 C11 C12 C13; page 5 of pass 1; its chats pending; pending
		poll list:1 list:5 list:6 C6 C5 C4 C3 C2 C1 C16 ->
		  = 18 chats; unread C7 C8 C9 C10 C11 C12 C13; page 2 of pass 2; pending; since 1
		poll list:1 list:2 list:3 list:4 C13 C12 C11 C10 C9 C8 C15 ->
		  = 18 chats; unread C7; page 5 of pass 2; its chats pending; pending; since 1
		poll list:1 list:5 list:6 C6 ->
		  = 18 chats; unread C7; page 2 of pass 3; pending; since 2
		fail 2
		poll list:1 list:2 list:3 list:4 -> failed 1
		fail 7
		write all
		poll list:1 list:2 list:3 list:4 C18 C17 C16 C15 C14 C7 -> failed 2, C17.2, C18.2
		  = 18 chats; unread C7; page 5 of pass 3; incomplete; its chats pending; pending; since 2
		poll list:1 list:5 list:6 C16 C6 C5 C4 C3 C2 C1 C18 -> C1.2, C2.2, C3.2, C4.2, C5.2, C6.2, C16.2
		  = 18 chats; unread C7; newest first; page 2 of pass 4; pending; since 2
		poll list:1 list:2 list:3 list:4 C15 C14 C13 C7 C12 C10 C16 -> C7.2, C10.2, C12.2, C13.2, C14.2, C15.2
		  = 18 chats; newest first; page 5 of pass 4; incomplete; its chats pending; pending; since 2
		poll list:1 list:5 list:6 C1 ->
		  = 18 chats; newest first; page 2 of pass 5; pending; since 2
		poll list:1 list:2 list:3 list:4 C11 C9 C8 C7 -> C8.2, C9.2, C11.2
		  = 18 chats; newest first; page 5 of pass 5; pending; since 2
		poll list:1 list:5 list:6 C18 ->
		  = 18 chats; newest first; page 2 of pass 6; since 9
		poll list:1 list:2 list:3 list:4 C7 ->
		  = 18 chats; newest first; page 5 of pass 6; since 9`,
	],
	[
		'in turn, a poll stays on its pages until all of their chats are read',
		{ habits: { rows: 'lie' }, limits: { readsUnknown: 8 } },
		`make 15
		poll channels list:1 list:2 list:3 C15 C14 C13 C12 list:1 ->
		  : in parts 5 4 2
		  = 9 chats; unread C7 C8 C9 C10 C11; page 4 of pass 1; its chats pending; pending
		poll list:1 list:4 list:5 C6 C5 C4 C3 C2 C1 ->
		  = 15 chats; unread C7 C8 C9 C10 C11; page 2 of pass 2; pending; since 1
		poll list:1 list:2 list:3 C11 C10 C9 C8 C7 C14 ->
		  = 15 chats; page 4 of pass 2; pending; since 1
		poll list:1 list:4 list:5 C3 ->
		  = 15 chats; page 2 of pass 3; since 2
		poll list:1 list:2 list:3 C14 ->
		  = 15 chats; page 4 of pass 3; since 2
		poll list:1 list:4 list:5 C1 ->
		  = 15 chats; page 2 of pass 4; since 4
		poll list:1 list:2 list:3 C7 ->
		  = 15 chats; page 4 of pass 4; since 4
		write C15
		poll list:1 list:4 list:5 C15 list:1 -> C15.2
		  : in turn 15 4 4
		  = 15 chats; in turn; page 2 of pass 5; since 6
		poll list:1 list:2 list:3 C14 C7 C12 C13 C10 ->
		poll list:1 list:2 list:3 C8 C9 ->
		  = 15 chats; in turn; page 4 of pass 5; since 6
		poll list:1 list:4 list:5 C6 C3 C1 C5 C2 ->
		poll list:1 list:4 list:5 C4 ->
		  = 15 chats; in turn; page 2 of pass 6; since 8
		poll list:1 list:2 list:3 C11 C15 C14 C7 C12 ->
		write all
		poll list:1 list:2 list:3 C13 C10 C8 C9 -> C8.2, C9.2, C10.2, C13.2
		  = 15 chats; in turn; newest first; page 4 of pass 6; since 8
		poll list:1 list:4 list:5 C6 C3 C1 C5 C2 -> C1.2, C2.2, C3.2, C5.2, C6.2
		poll list:1 list:4 list:5 C4 -> C4.2
		  = 15 chats; in turn; newest first; page 2 of pass 7; since 12
		poll list:1 list:2 list:3 C11 C15 C14 C7 C12 -> C7.2, C11.2, C12.2, C14.2, C15.3
		poll list:1 list:2 list:3 C13 C10 C8 C9 ->
		  = 15 chats; in turn; newest first; page 4 of pass 7; since 12
		poll list:1 list:4 list:5 C6 C3 C1 C5 C2 ->
		poll list:1 list:4 list:5 C4 ->
		  = 15 chats; in turn; newest first; page 2 of pass 8; since 16
		poll list:1 list:2 list:3 C11 C15 C14 C7 C12 ->
		poll list:1 list:2 list:3 C13 C10 C8 C9 ->
		  = 15 chats; in turn; newest first; page 4 of pass 8; since 16`,
	],
	[
		'counts that show that there is no news: no page is read',
		{ habits: { counts: 'exact' }, limits: { readsUnknown: 12 } },
		`make 18
		poll channels count list:1 list:2 list:3 list:4 list:5 list:6 C18 C17 C16 C15 list:1 ->
		  = 18 chats; counts 0; unread C1 C2 C3 C4 C5 C6 C7 C8 C9 C10 C11 C12 C13 C14; pending
		poll count list:1 list:2 list:3 list:4 list:5 list:6 C14 C13 C12 C11 C10 C16 ->
		  = 18 chats; counts 0; unread C1 C2 C3 C4 C5 C6 C7 C8 C9; pending
		poll count list:1 list:2 list:3 list:4 list:5 list:6 C9 C8 C7 C6 C5 C11 ->
		  = 18 chats; counts 0; unread C1 C2 C3 C4; pending
		poll count list:1 list:2 list:3 list:4 list:5 list:6 C4 C3 C2 C1 C6 ->
		  = 18 chats; counts 0
		poll count list:1 list:2 list:3 list:4 list:5 list:6 C3 ->
		poll count list:1 list:2 list:3 list:4 list:5 list:6 C1 ->
		write C2
		poll count list:1 list:2 list:3 list:4 list:5 list:6 C2 C15 -> C2.2
		poll count ->
		  = 18 chats; counts 1
		poll count ->
		write C2
		poll count list:1 list:2 list:3 list:4 list:5 list:6 C2 C14 -> C2.3
		poll count ->
		  = 18 chats; counts 2
		poll count ->
		poll count ->`,
	],
	[
		'the latest chats lead the list: it is read in parts no more',
		{ habits: { order: 'activity' }, limits: { readsUnknown: 10 } },
		`make 18
		poll channels list:1 list:2 list:3 list:4 C18 C17 C16 C15 C14 list:1 ->
		  : in parts 6 5 2
		  = 12 chats; unread C7 C8 C9 C10 C11 C12 C13; page 5 of pass 1; its chats pending; pending
		poll list:1 list:5 list:6 C6 C5 C4 C3 C2 C1 C16 ->
		  = 18 chats; unread C7 C8 C9 C10 C11 C12 C13; page 2 of pass 2; pending; since 1
		poll list:1 list:2 list:3 list:4 C13 C12 C11 C10 C9 C8 C15 ->
		  = 18 chats; unread C7; page 5 of pass 2; its chats pending; pending; since 1
		poll list:1 list:5 list:6 C6 ->
		  = 18 chats; unread C7; page 2 of pass 3; pending; since 2
		poll list:1 list:2 list:3 list:4 C7 C15 ->
		  = 18 chats; page 5 of pass 3; pending; since 2
		write C2
		poll list:1 list:5 list:6 C2 C1 -> C2.2
		  = 18 chats; order 1; page 2 of pass 4; since 4
		poll list:1 list:6 C3 ->
		  = 18 chats; order 1; page 2 of pass 4
		write C5
		poll list:1 C5 C2 -> C5.2
		  = 18 chats; order 1; newest first; page 2 of pass 4
		poll list:1 list:2 C15 ->`,
	],
	[
		'only so many pages are read; chats on later ones are not watched',
		{ limits: { listPages: 2, checkEvery: 3 } },
		`make 7
		poll channels list:1 list:2 C7 C6 C5 C4 C3 C2 list:1 ->
		  : too long 200
		  = 6 chats
		poll list:1 list:2 C6 ->
		poll list:1 list:2 C3 ->
		write C1 C2
		poll list:1 list:2 C2 C7 -> C2.2
		  : too long 200
		poll list:1 list:2 C5 ->`,
	],
	[
		'the list does not show how many pages it has',
		{ habits: { pages: 'unknown' } },
		`make 7
		poll channels list:1 list:2 list:3 list:4 C7 C6 C5 C4 C3 C2 C1 list:1 ->
		  = 7 chats
		write C1
		poll list:1 list:2 list:3 list:4 C1 C6 -> C1.2
		poll list:1 list:2 list:3 list:4 C3 ->`,
	],
	[
		'the list does not show it, and returns its last page again and again',
		{ habits: { pages: 'unknown, and the last one again and again' } },
		`make 6
		poll channels list:1 list:2 list:3 C6 C5 C4 C3 C2 C1 list:1 ->
		  = 6 chats
		write C1
		poll list:1 list:2 list:3 C1 C6 -> C1.2`,
	],
	[
		'the list does not show it, and is longer than a poll may read',
		{ habits: { pages: 'unknown' }, limits: { readsUnknown: 8 } },
		`make 15
		poll channels list:1 list:2 list:3 list:4 C15 C14 C13 C12 list:1 ->
		  : in parts 4
		  = 12 chats; unread C4 C5 C6 C7 C8 C9 C10 C11; page 5 of pass 1; its chats pending; pending
		poll list:1 list:5 list:6 C3 C2 C1 C15 ->
		  = 15 chats; unread C4 C5 C6 C7 C8 C9 C10 C11; page 2 of pass 2; pending; since 1
		poll list:1 list:2 list:3 list:4 C11 C10 C9 C8 C15 ->
		  = 15 chats; unread C4 C5 C6 C7; page 5 of pass 2; its chats pending; pending; since 1
		poll list:1 list:5 list:6 C1 ->
		  = 15 chats; unread C4 C5 C6 C7; page 2 of pass 3; pending; since 2
		write C1 C15
		poll list:1 list:2 list:3 list:4 C15 C7 C6 C5 C12 -> C15.2
		  = 15 chats; unread C4; page 5 of pass 3; its chats pending; pending; since 2
		poll list:1 list:5 list:6 C1 C14 -> C1.2
		  = 15 chats; unread C4; page 2 of pass 4; pending; since 4
		poll list:1 list:2 list:3 list:4 C4 C14 ->
		  = 15 chats; page 5 of pass 4; pending; since 4`,
	],
	[
		'the list does not show it, and has more pages than are ever read',
		{ habits: { pages: 'unknown' }, limits: { listPages: 2 } },
		`make 7
		poll channels list:1 list:2 C7 C6 C5 C4 C3 C2 list:1 ->
		  : too long 200
		  = 6 chats
		poll list:1 list:2 C6 ->`,
	],
	[
		'an empty list',
		{},
		`poll channels list:1 ->
		  = 0 chats
		poll list:1 ->
		make 1
		poll list:1 C1 C1:1 -> C1.1
		  = 1 chats`,
	],
	[
		'an empty list that does not show how many pages it has',
		{ habits: { pages: 'unknown' } },
		`poll channels list:1 ->
		  = 0 chats
		poll list:1 ->
		make 1
		poll list:1 list:2 C1 C1:1 -> C1.1
		  = 1 chats`,
	],
	[
		'a larger window of the rate limit: the whole list is read again; a smaller one: in parts',
		{ habits: { windowSize: 16 }, limits: { reads: 40 } },
		`make 15
		poll channels list:1 list:2 list:3 C15 C14 C13 C12 list:1 ->
		  : in parts 5 4 2
		  = 9 chats; unread C7 C8 C9 C10 C11; page 4 of pass 1; its chats pending; pending
		poll list:1 list:4 list:5 C6 C5 C4 C3 C2 C1 ->
		  = 15 chats; unread C7 C8 C9 C10 C11; page 2 of pass 2; pending; since 1
		poll list:1 list:2 list:3 C11 C10 C9 C8 C7 C14 ->
		  = 15 chats; page 4 of pass 2; pending; since 1
		window 20
		poll list:1 list:2 list:3 list:4 list:5 C7 ->
		  = 15 chats
		poll list:1 list:2 list:3 list:4 list:5 C12 ->
		window 16
		poll list:1 list:2 list:3 C11 ->
		  : in parts 5 4 2
		  = 15 chats; page 4 of pass 1; since 5
		poll list:1 list:4 list:5 C6 ->
		  = 15 chats; page 2 of pass 2; since 6
		poll list:1 list:2 list:3 C15 ->
		  = 15 chats; page 4 of pass 2; since 6`,
	],
	[
		'chats that were not listed before were there before the first poll, in two passes',
		{ habits: { order: 'activity' }, limits: { readsUnknown: 6, audits: 2 } },
		`make 15*2
		poll channels list:1 list:2 list:3 C15 C14 C13 C12 list:1 ->
		  : in parts 5 3 2
		  = 9 chats; unread C7 C8 C9 C10 C11; page 4 of pass 1; its chats pending; pending
		write C1
		poll list:1 list:4 list:5 C1 C7 C6 C5 C4 C14 -> C1.3
		  = 15 chats; unread C2 C3 C8 C9 C10 C11; page 2 of pass 2; pending; since 1
		write C2
		poll list:1 list:2 list:3 C2 C11 C10 C9 C12 C13 -> C2.3
		  = 15 chats; order 1; unread C3 C8; page 4 of pass 2; pending; since 1
		poll list:1 list:4 list:5 C8 C3 C4 C7 ->
		  = 15 chats; order 1; page 2 of pass 3; since 2
		make 1*2
		poll list:1 list:4 C16 C16:1 C9 C7 -> C16.1, C16.2
		  = 16 chats; order 1; page 2 of pass 3
		poll list:1 list:5 C5 C4 ->
		poll list:1 list:6 C3 ->
		poll list:1 C2 C1 ->
		poll list:1 list:2 C15 C14 ->`,
	],
	[
		'the latest chats lead a long list: more have news than pages may be read, and the next polls read the others',
		{ habits: { order: 'activity', pageSize: 2 }, limits: { readsUnknown: 8 } },
		`make 12
		poll channels list:1 list:2 list:3 list:4 C12 C11 C10 C9 list:1 ->
		  : in parts 6 4 2
		  = 8 chats; unread C5 C6 C7 C8; page 5 of pass 1; its chats pending; pending
		poll list:1 list:5 list:6 C4 C3 C2 C1 C11 ->
		  = 12 chats; unread C5 C6 C7 C8; page 2 of pass 2; pending; since 1
		poll list:1 list:2 list:3 list:4 C8 C7 C6 C5 C12 ->
		  = 12 chats; page 5 of pass 2; pending; since 1
		poll list:1 list:5 list:6 C3 ->
		  = 12 chats; page 2 of pass 3; since 2
		poll list:1 list:2 list:3 list:4 C7 ->
		  = 12 chats; page 5 of pass 3; since 2
		poll list:1 list:5 list:6 C1 ->
		  = 12 chats; page 2 of pass 4; since 4
		write C2
		poll list:1 list:2 list:3 list:4 C2 C12 -> C2.2
		  = 12 chats; order 1; page 5 of pass 4; since 4
		write C3
		poll list:1 C3 C2 -> C3.2
		  = 12 chats; order 1; newest first; page 5 of pass 4
		write all
		poll list:1 list:2 list:3 C12 C11 C8 C9 C7 -> C7.2, C8.2, C9.2, C11.2, C12.2
		  = 12 chats; order 1; newest first; page 5 of pass 4; pending; since 8
		poll list:1 list:5 list:6 C4 C3 C2 C1 C12 -> C1.2, C2.3, C3.3, C4.2
		  = 12 chats; newest first; page 2 of pass 5; since 6
		poll list:1 list:2 list:3 list:4 C10 C6 C5 C9 -> C5.2, C6.2, C10.2
		  = 12 chats; newest first; page 5 of pass 5; since 6
		poll list:1 list:5 list:6 C2 ->
		  = 12 chats; newest first; page 2 of pass 6; since 10
		poll list:1 list:2 list:3 list:4 C10 ->
		  = 12 chats; newest first; page 5 of pass 6; since 10
		poll list:1 list:5 list:6 C4 ->
		  = 12 chats; newest first; page 2 of pass 7; since 12`,
	],
	[
		'as many pages as are ever read are not too many',
		{ limits: { listPages: 2 } },
		`make 6
		poll channels list:1 list:2 C6 C5 C4 C3 C2 C1 list:1 ->
		  = 6 chats
		poll list:1 list:2 C6 ->`,
	],
	[
		'the last page alone is a part, too',
		{ limits: { readsUnknown: 7 } },
		`make 12
		poll channels list:1 list:2 list:3 C12 C11 C10 C9 list:1 ->
		  : in parts 4 3 2
		  = 9 chats; unread C4 C5 C6 C7 C8; page 4 of pass 1; its chats pending; pending
		poll list:1 list:4 C3 C2 C1 C11 ->
		  = 12 chats; unread C4 C5 C6 C7 C8; page 2 of pass 2; pending; since 1
		poll list:1 list:2 list:3 C8 C7 C6 C5 C12 ->
		  = 12 chats; unread C4; page 4 of pass 2; its chats pending; pending; since 1
		poll list:1 list:4 C3 ->
		  = 12 chats; unread C4; page 2 of pass 3; pending; since 2
		poll list:1 list:2 list:3 C4 C7 ->
		  = 12 chats; page 4 of pass 3; pending; since 2`,
	],
	[
		'in turn, a poll reads only as many pages as it may read chats',
		{ habits: { pageSize: 5 }, limits: { readsUnknown: 6 } },
		`make 20
		poll channels list:1 list:2 list:3 C20 C19 C18 C17 list:1 ->
		  : in parts 4 3 2
		  = 15 chats; unread C6 C7 C8 C9 C10 C11 C12 C13 C14 C15 C16; page 4 of pass 1; its chats pending; pending
		poll list:1 list:4 C16 C5 C4 C3 C20 ->
		  = 20 chats; unread C1 C2 C6 C7 C8 C9 C10 C11 C12 C13 C14 C15; page 2 of pass 2; pending; since 1
		poll list:1 list:2 list:3 C15 C14 C13 C12 C11 ->
		  = 20 chats; unread C1 C2 C6 C7 C8 C9 C10; page 4 of pass 2; its chats pending; pending; since 1
		poll list:1 list:4 C2 C1 C20 ->
		  = 20 chats; unread C6 C7 C8 C9 C10; page 2 of pass 3; pending; since 2
		poll list:1 list:2 list:3 C10 C9 C8 C7 C6 ->
		  = 20 chats; page 4 of pass 3; pending; since 2
		poll list:1 list:4 C3 ->
		  = 20 chats; page 2 of pass 4; since 4
		poll list:1 list:2 list:3 C20 ->
		  = 20 chats; page 4 of pass 4; since 4
		hide C5
		poll list:1 list:4 C1 ->
		  = 20 chats; page 2 of pass 5; since 6
		poll list:1 list:2 list:3 C15 ->
		  = 20 chats; page 4 of pass 5; since 6
		poll list:1 list:4 C18 ->
		  = 20 chats; page 2 of pass 6; since 8
		poll list:1 list:2 list:3 C14 ->
		  = 20 chats; page 4 of pass 6; since 8
		poll list:1 list:4 C5 list:4 -> C5.2
		  : in turn 20 4 5
		  = 20 chats; in turn; page 2 of pass 7; since 10
		poll list:1 list:2 C19 C17 ->
		  = 20 chats; in turn; page 3 of pass 7; since 10
		poll list:1 list:3 C6 C7 C10 C8 ->
		poll list:1 list:3 C9 ->
		  = 20 chats; in turn; page 4 of pass 7; since 10
		poll list:1 list:4 C3 C1 C5 C2 ->`,
	],
	[
		'a list that becomes long: the log says so once',
		{ limits: { readsUnknown: 8, audits: 2 } },
		`make 6
		poll channels list:1 list:2 C6 C5 C4 C3 C2 list:1 ->
		  = 6 chats; unread C1; pending
		make 9*0
		poll list:1 list:2 list:3 C15 C14 C8 C7 C13 ->
		  : in parts 5 4 2
		  = 11 chats; unread C1; again C7 C8 C13 C14 C15; page 4 of pass 1; incomplete; its chats pending; pending; since 1
		poll list:1 list:4 list:5 C15 C14 C13 C1 C6 C3 ->
		  = 11 chats; again C7 C8; page 2 of pass 2; pending; since 1
		poll list:1 list:2 list:3 C8 C7 C12 C11 C10 C13 C9 ->
		  = 15 chats; page 4 of pass 2; pending; since 1
		poll list:1 list:4 list:5 C6 C3 ->
		  = 15 chats; page 2 of pass 3; since 3
		poll list:1 list:2 list:3 C13 C9 ->
		  = 15 chats; page 4 of pass 3; since 3`,
	],
	[
		'all chats of the first part are read in the first poll',
		{ habits: { pageSize: 1 }, limits: { readsUnknown: 8 } },
		`make 6
		poll channels list:1 list:2 list:3 list:4 C6 C5 C4 C3 list:1 ->
		  : in parts 6 4 2
		  = 4 chats; page 5 of pass 1
		poll list:1 list:5 list:6 C2 C1 C6 ->
		  = 6 chats; page 2 of pass 2; since 1
		poll list:1 list:2 list:3 list:4 C3 ->
		  = 6 chats; page 5 of pass 2; since 1`,
	],
	[
		'without times, a chat that is listed in the first two passes was there before, and one after them is new',
		{ habits: { hasTimes: false }, limits: { readsUnknown: 7 } },
		`make 12
		poll channels list:1 list:2 list:3 C12 C11 C10 C9 list:1 ->
		  : in parts 4 3 2
		  = 9 chats; unread C4 C5 C6 C7 C8; page 4 of pass 1; its chats pending; pending
		poll list:1 list:4 C3 C2 C1 C11 ->
		  = 12 chats; unread C4 C5 C6 C7 C8; page 2 of pass 2; pending; since 1
		make 1*2
		poll list:1 list:2 list:3 C13 C8 C7 C6 C12 ->
		  = 13 chats; unread C4 C5; page 4 of pass 2; its chats pending; pending; since 1
		poll list:1 list:4 list:5 C4 C3 ->
		  = 13 chats; unread C5; page 2 of pass 3; pending; since 2
		make 1*2
		poll list:1 list:2 list:3 C14 C14:1 C7 -> C14.1, C14.2
		  = 14 chats; unread C5; page 4 of pass 3; pending; since 2
		poll list:1 list:4 list:5 C5 C12 ->
		  = 14 chats; page 2 of pass 4; since 4`,
	],
]);

test('an error in the code is thrown', async () => {
	const service = new FakeChats(HABITS, () => time.clock.now());
	service.onRequest = () => {
		throw new TypeError('a mistake');
	};
	await expect(new Watch(service).poll()).rejects.toThrow('a mistake');
});
