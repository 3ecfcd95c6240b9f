/** Which state a poll goes on from: the one in n8n's static data, or the latest of the process. */
import {
	LatestStates,
	type StaticData,
} from '../../nodes/ConversationalMessaging/trigger/latest.ts';

/** n8n's static data, a process, and what it goes on from. */
class Process {
	private readonly latest = new LatestStates();

	/** A poll. @returns the state before it */
	poll(data: StaticData, after: string, { hasEvents = false, name = 'Trigger' } = {}) {
		const state = this.latest.recall('node', name, data);
		this.latest.keep('node', name, data, { before: state, after, hasEvents });
		return state;
	}
}

/** What n8n's database contains now. */
const saved = (data: StaticData): StaticData => structuredClone(data);

test('polls of one process go on from each other, also if n8n brings back a state before polls without events', () => {
	const [n8n, data] = [new Process(), {}];
	expect(n8n.poll(data, 'A')).toBeUndefined();
	const first = saved(data);
	expect(n8n.poll(data, 'B')).toBe('A');
	const published = saved(first);
	expect(n8n.poll(published, 'C', { hasEvents: true })).toBe('B');
	const withEvents = saved(published);
	expect(n8n.poll(published, 'D')).toBe('C');
	expect(n8n.poll(withEvents, 'E')).toBe('D');
	expect(n8n.poll({}, 'F')).toBeUndefined();
});

test('before the first event, nothing needs to be saved: a baseline is kept', () => {
	const n8n = new Process();
	n8n.poll({}, 'A');
	expect(n8n.poll({}, 'B')).toBe('A');
});

test('events whose state n8n does not show were perhaps not emitted: they come again', () => {
	const [n8n, data] = [new Process(), {}];
	n8n.poll(data, 'A');
	const before = saved(data);
	n8n.poll(data, 'B', { hasEvents: true });
	expect(n8n.poll(before, 'C')).toBe('A');
});

test('a state of another process is used, and may be older than its last poll', () => {
	const data = {};
	new Process().poll(data, 'A');
	const other = { ...data, process: 'other' };
	const n8n = new Process();
	expect(n8n.poll(other, 'A')).toBe('A');
	expect(n8n.poll(other, 'B')).toBe('A');
	expect(n8n.poll({ state: 'X', process: 'other', poll: 99 }, 'Y')).toBe('X');
	expect(n8n.poll({ state: 'B', process: 'third' }, 'Z')).toBe('B');
});

test('a node that was renamed keeps its state, also under its former name; one whose data was deleted does not', () => {
	const [n8n, data] = [new Process(), {}];
	n8n.poll(data, 'A', { hasEvents: true });
	const renamed = {};
	expect(n8n.poll(renamed, 'B', { name: 'Renamed' })).toBe('A');
	expect(n8n.poll(renamed, 'C', { name: 'Renamed', hasEvents: true })).toBe('B');
	expect(n8n.poll(data, 'D')).toBe('C');
	const [other, same] = [new Process(), {}];
	other.poll(same, 'A', { hasEvents: true });
	expect(other.poll({}, 'B')).toBeUndefined();
});

test('of more than 100 nodes, the state of the one that was polled longest ago is forgotten', () => {
	const latest = new LatestStates();
	const all = Array.from({ length: 101 }, (_, i) => ({
		node: `node ${i}`,
		data: {} as StaticData,
	}));
	const poll = (after: string): void => {
		for (const { node, data } of all)
			latest.keep(node, 'Trigger', data, { before: data.state, after, hasEvents: false });
	};
	poll('A');
	expect(latest.recall('node 0', 'Trigger', {})).toBeUndefined();
	expect(latest.recall('node 1', 'Trigger', {})).toBe('A');
});
