/** What n8n's log shows of everything that delays or loses events. */
import { type Shown, shown } from '../../nodes/ConversationalMessaging/api/access/shown.ts';
import {
	type Reported,
	logOf,
	Reports,
} from '../../nodes/ConversationalMessaging/trigger/reports.ts';
import { FakeHost } from './host.mts';

const lines: string[] = [];
const log = {
	warn: (line: Shown) => void lines.push(`! ${String(line)}`),
	info: (line: Shown) => void lines.push(String(line)),
};
beforeEach(() => void lines.splice(0));

/** The lines of one poll, and what it leaves for the next one, through the saved state. */
function poll(before: Reported | undefined, report: (reports: Reports) => void) {
	const saved = before && (JSON.parse(JSON.stringify(before)) as Reported);
	const reports = new Reports(log, saved);
	report(reports);
	return { lines: lines.splice(0), reported: reports.reported };
}

test('what has no end is logged each time', () => {
	const lose = (reports: Reports) => reports.once('An event is lost.');
	const first = poll(undefined, lose);
	expect(first).toStrictEqual({ lines: ['! An event is lost.'], reported: undefined });
	expect(poll(first.reported, lose).lines).toStrictEqual(['! An event is lost.']);
});

test('each line names the workflow and the node', () => {
	const host = new FakeHost();
	host.workflowId = 'W1';
	logOf(host.context()).warn(shown`Page 3 fails.`);
	host.workflowId = undefined;
	logOf(host.context()).info(shown`Page 3 is read.`);
	expect(host.logged).toStrictEqual([
		'warn Workflow W1, node "Node": Page 3 fails.',
		'info Workflow (not saved), node "Node": Page 3 is read.',
	]);
});
