import type { IDataObject } from 'n8n-workflow';
import { clock } from '../api/base/clock';

/** What the trigger keeps in n8n's static data. */
export interface StaticData extends IDataObject {
	/** See `encode`. */
	state?: string;
	/** The process that wrote it. */
	process?: string;
	/** The number of the poll of that process. */
	poll?: number;
}

interface Latest {
	state: string;
	/** The name of the node: n8n keys static data by it. */
	name: string;
	/** What n8n's static data may still show: the state before, unless there have been events since. */
	before?: { state: unknown };
	/** What this process wrote in this poll or later is part of the way to the state. */
	fromPoll: number;
}

/** Of so many nodes, the latest state is kept. A state has up to 255 KB; n8n's static data shares its text. */
const MOST_NODES = 100;

/**
 * The latest states of this process. n8n does not save the state after a poll without events: when a workflow is published
 * again, its static data is older.
 *
 * A latest state counts only if n8n's static data shows what it goes on from. Everything else in the static data wins.
 */
export class LatestStates {
	private readonly byNode = new Map<string, Latest>();

	private readonly process = `${clock.now().toString(36)}${clock.random().toString(36).slice(2, 8)}`;

	private polls = 0;

	/** The state to go on from. @param node identifies the node, across names */
	recall(node: string, name: string, data: StaticData): unknown {
		const latest = this.byNode.get(node);
		return latest && this.ledTo(latest, name, data) ? latest.state : data.state;
	}

	/** Otherwise, another process wrote the static data, or it is a backup, or from a poll whose events n8n discarded. */
	private ledTo(latest: Latest, name: string, { state, process, poll }: StaticData): boolean {
		const isThisProcess = process === this.process;
		const isRenamed = name !== latest.name && (state === undefined || isThisProcess);
		const isStateBefore = latest.before !== undefined && state === latest.before.state;
		return isRenamed || isStateBefore || (isThisProcess && Number(poll) >= latest.fromPoll);
	}

	/** Keeps the state after a poll, which began with what `recall` returned, here and in n8n's static data. */
	keep(
		node: string,
		name: string,
		data: StaticData,
		{ before, after, hasEvents }: { before: unknown; after: string; hasEvents: boolean },
	): void {
		const former = this.byNode.get(node);
		const isContinued = former !== undefined && before === former.state;
		const poll = ++this.polls;
		if (after !== data.state || data.process !== this.process)
			Object.assign(data, { state: after, process: this.process, poll });
		const way =
			isContinued && !hasEvents
				? { before: former.before, fromPoll: former.fromPoll }
				: { before: hasEvents ? undefined : { state: before }, fromPoll: poll };
		this.byNode.delete(node);
		this.byNode.set(node, { ...way, state: after, name });
		const [oldest] = this.byNode.keys();
		if (oldest !== undefined && this.byNode.size > MOST_NODES) this.byNode.delete(oldest);
	}
}
