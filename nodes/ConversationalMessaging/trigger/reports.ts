import type { INode, IPollFunctions } from 'n8n-workflow';
import { type Message, type Shown, messageOf, shown } from '../api/access/shown';

/** Writes lines to n8n's log. */
export interface Log {
	warn: (message: Shown) => void;
	info: (message: Shown) => void;
}

/** Where the events of one kind are polled. */
export interface PollContext {
	node: INode;
	log: Log;
}

/** What n8n's log has shown and what has not ended yet: for each, the line to write when it ends. Part of the state. */
export type Reported = Readonly<Record<string, string>>;

/**
 * The one place that speaks while polls go on: whatever delays or loses events appears in n8n's log once when it begins and
 * once when it ends. What a poll neither reports nor ends still lasts.
 */
export class Reports {
	private readonly lasting: Map<string, string>;

	/** @param before what the last poll left; undefined if it left nothing */
	constructor(
		private readonly log: Log,
		before: Reported = {},
	) {
		this.lasting = new Map(Object.entries(before));
	}

	/** What lasts, for the state; undefined if nothing does. */
	get reported(): Reported | undefined {
		return this.lasting.size > 0 ? Object.fromEntries(this.lasting) : undefined;
	}

	/**
	 * Something delays or loses events from now on, or still does.
	 *
	 * @param key identifies it, among what the same checkpoint reports
	 * @param begins what happens, why, and what to do
	 * @param ends the line to write when it ends
	 */
	begins<B extends string, E extends string>(
		key: string,
		begins: Message<B>,
		ends: Message<E>,
	): void {
		if (!this.lasting.has(key)) this.log.warn(messageOf(begins));
		this.lasting.set(key, String(ends));
	}

	/** It does not any more, if it did. */
	ends(key: string): void {
		const line = this.lasting.get(key);
		if (line !== undefined) this.log.info(shown`${line}`);
		this.lasting.delete(key);
	}

	/** Something that happens once, without an end: events that are lost, or a new baseline. */
	once<T extends string>(message: Message<T>): void {
		this.log.warn(messageOf(message));
	}
}

/** n8n's log, in which each line names the workflow and the node. */
export function logOf(n8n: IPollFunctions): Log {
	const { id } = n8n.getWorkflow();
	const prefix = shown`Workflow ${id ?? '(not saved)'}, node "${n8n.getNode().name}": `;
	return {
		warn: (message) => n8n.logger.warn(String(shown`${prefix}${message}`)),
		info: (message) => n8n.logger.info(String(shown`${prefix}${message}`)),
	};
}
