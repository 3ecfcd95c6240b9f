/** Which state a poll goes on from, as far as the random histories of the two models do not show it. */
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

test('a state that n8n does not have any more, after events, is not brought back', () => {
	const [n8n, data] = [new Process(), {}];
	n8n.poll(data, 'A', { hasEvents: true });
	expect(n8n.poll({}, 'B')).toBeUndefined();
});

test('a node that was renamed keeps its state, also under its former name', () => {
	const [n8n, data] = [new Process(), {}];
	n8n.poll(data, 'A', { hasEvents: true });
	const renamed = {};
	expect(n8n.poll(renamed, 'B', { name: 'Renamed' })).toBe('A');
	expect(n8n.poll(renamed, 'C', { name: 'Renamed', hasEvents: true })).toBe('B');
	expect(n8n.poll(data, 'D')).toBe('C');
});

test('of more than 100 nodes, the state of the one that was polled longest ago is forgotten', () => {
	const latest = new LatestStates();
	const keep = (n: number): void =>
		latest.keep(`node ${n}`, 'Trigger', {}, { before: undefined, after: 'A', hasEvents: false });
	// The first one is polled again.
	for (const n of [...Array(100).keys(), 0, 100]) keep(n);
	const recalled = [0, 1, 2].map((n) => latest.recall(`node ${n}`, 'Trigger', {}));
	expect(recalled).toStrictEqual(['A', undefined, 'A']);
});
