/**
 * From a message to its execution, in simulated time: by the number of chats, whether their list shows new messages, the polls
 * a minute and the rate limit. No message may be lost, or emitted twice.
 */
import { createRequire } from 'node:module';
import { ManualClock } from '../../sandbox/clock.mts';
import { FakeChats, HABITS } from '../../test/trigger/messages/chats.mts';
import { Watch } from '../../test/trigger/messages/watch.mts';
import { median, progress, report } from './report.mts';

/** What the code of the package uses: an import from here would be another copy of the module. */
const { clock } = createRequire(import.meta.url)(
	'../../nodes/ConversationalMessaging/api/base/clock.ts',
) as typeof import('../../nodes/ConversationalMessaging/api/base/clock.ts');

const MINUTE_MS = 60_000;
const MESSAGES = 72;
/** While messages are written, and the longest wait for one, in minutes. */
const WRITING = 72;
const LONGEST = 24 * 60;

/** Requests of a window, as the service reports them. */
const LIMITS = [60, 300, undefined];

/** The parts of 1 that follow each other without a pattern: the same in each run. */
const spread = (i: number, step: number): number => (i * step) % 1;

async function measure(
	chats: number,
	rows: 'show' | 'silent',
	perMinute: number,
	windowSize: number | undefined,
) {
	const time = new ManualClock(Date.UTC(2026, 0, 15, 9));
	Object.assign(clock, { now: () => time.now(), elapsed: () => time.now(), random: () => 0 });
	const service = new FakeChats({ ...HABITS, rows, windowSize }, () => time.now());
	for (let i = 0; i < chats; i++) service.makeChat(i % 3);
	const list = [...service.list];
	const watch = new Watch(service);
	const written = new Map<string, number>();
	const delays: number[] = [];
	const atRest: number[] = [];
	let planned: { at: number; place: number }[] = [];
	const minute = async () => {
		let requests = 0;
		for (let i = 0; i < perMinute; i++) {
			const next = time.now() + MINUTE_MS / perMinute;
			for (const { at, place } of planned.filter((each) => each.at <= next)) {
				time.advance(at - time.now());
				written.set(service.addMessage(list[Math.floor(place * chats)]!).id, at);
			}
			planned = planned.filter(({ at }) => at > next);
			time.advance(next - time.now());
			for (const id of await watch.ids()) {
				const at = written.get(id);
				if (at === undefined) throw new Error(`${id} was not written, or emitted twice`);
				written.delete(id);
				delays.push(time.now() - at);
			}
			requests += service.requests;
		}
		return requests;
	};
	await watch.ids();
	for (let i = 0; i < (chats === 5_000 && windowSize === 60 ? 60 : 15); i++) await minute();
	const start = time.now();
	planned = Array.from({ length: MESSAGES }, (_, i) => ({
		at:
			start +
			Math.floor(spread(i + 1, 0.618_034) * WRITING) * MINUTE_MS +
			Math.ceil(spread(i + 1, 0.569_84) * MINUTE_MS),
		place: spread(i + 1, 0.754_878),
	})).sort((one, other) => one.at - other.at);
	for (let i = 0; delays.length < MESSAGES; i++) {
		if (i === WRITING + LONGEST) throw new Error(`${written.size} messages were lost`);
		await minute();
	}
	for (let i = 0; i < 10; i++) atRest.push(await minute());
	return { median: median(delays), worst: Math.max(...delays), atRest: Math.max(...atRest) };
}

/** "27 s", "9 min", "2.3 h" */
function shown(ms: number): string {
	if (ms < 2 * MINUTE_MS) return `${Math.round(ms / 1_000)} s`;
	const minutes = ms / MINUTE_MS;
	return minutes < 100 ? `${Math.round(minutes)} min` : `${(minutes / 60).toFixed(1)} h`;
}

const table = [
	[
		'chats',
		'shown',
		'polls a minute',
		...LIMITS.map((limit) => String(limit ?? 'unknown')),
		'at rest',
	],
];
for (const chats of [10, 300, 1_000, 5_000])
	for (const rows of ['show', 'silent'] as const)
		for (const perMinute of [1, 4]) {
			const cells: string[] = [];
			const atRest: number[] = [];
			for (const windowSize of LIMITS) {
				progress(`${chats} chats, ${rows}, ${perMinute} a minute, ${windowSize ?? 'unknown'}`);
				const found = await measure(chats, rows, perMinute, windowSize);
				cells.push(`${shown(found.median)}, ${shown(found.worst)}`);
				atRest.push(found.atRest);
			}
			const [least, most] = [Math.min(...atRest), Math.max(...atRest)];
			const rest = least === most ? String(least) : `${least}–${most}`;
			table.push([
				String(chats),
				rows === 'show' ? 'yes' : 'no',
				String(perMinute),
				...cells,
				rest,
			]);
		}
report('From a message to its execution: median and worst; requests a minute at rest', table);
