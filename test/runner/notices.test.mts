import { shown as text } from '../../nodes/ConversationalMessaging/api/access/shown.ts';
import type { IExecuteFunctions } from 'n8n-workflow';
import { Notices } from '../../nodes/ConversationalMessaging/runner/notices.ts';
import { useFakeTime } from '../support/time.mts';

useFakeTime();

/** The notices of a run, what they write to the log, and what n8n shows at the end. */
function noticesOf() {
	const log: string[] = [];
	const shown: { message: string; location: string }[] = [];
	const notices = new Notices({
		logger: { info: (message: string) => log.push(message) },
		addExecutionHints: (...hints: typeof shown) => shown.push(...hints),
	} as unknown as IExecuteFunctions);
	const hints = () => {
		notices.show();
		return shown.map(({ message }) => message);
	};
	return { notices, log, shown, hints };
}

test('a notice is logged once, immediately, and shown at the end, in the output pane', () => {
	const { notices, log, shown } = noticesOf();
	for (const message of ['b', 'a', 'b']) notices.notify(text`${message}`);
	expect(log).toStrictEqual(['b', 'a']);
	expect(shown).toStrictEqual([]);
	notices.show();
	expect(shown).toStrictEqual([
		{ message: 'b', location: 'outputPane' },
		{ message: 'a', location: 'outputPane' },
	]);
});

test('of many notices, the first ten are shown, and all are logged', () => {
	const { notices, log, hints } = noticesOf();
	const all = Array.from({ length: 11 }, (_, n) => `Notice ${n}`);
	for (const message of all) notices.notify(text`${message}`);
	notices.waiting(9_000);
	expect(hints()).toStrictEqual([
		...all.slice(0, 10),
		'n8n’s log contains more',
		'This run waited for the service, up to 9 s at a time',
	]);
	expect(log.slice(0, 11)).toStrictEqual(all);
});

test('an n8n without hints has the log alone', () => {
	const log: string[] = [];
	const logger = { info: (message: string) => log.push(message) };
	const notices = new Notices({ logger } as unknown as IExecuteFunctions);
	notices.notify(text`a`);
	notices.show();
	expect(log).toStrictEqual(['a']);
});

test('a wait is logged when it begins, once for all requests that wait for the same moment; the longest one is shown at the end', () => {
	const { notices, log, hints } = noticesOf();
	for (const ms of [4_999, 8_001, 8_000, 9_000, 9_001, 7_000]) notices.waiting(ms);
	expect(log).toStrictEqual(['Waiting 9 s for the service', 'Waiting 10 s for the service']);
	expect(hints()).toStrictEqual(['This run waited for the service, up to 10 s at a time']);
});
