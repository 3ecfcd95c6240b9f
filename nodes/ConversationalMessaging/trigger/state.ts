import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../api/response/response';
import { parseJson } from '../api/base/text';
import { STATE_CHARACTERS } from './limits';
import type { MessageCheckpoint } from './messages/memory';
import { readCheckpoint as readMessages, savedOf as savedOfMessages } from './messages/saved';
import type { Memory } from './status/memory';
import { shortened } from './status/memory';
import type { Checkpoint } from './status/saved';
import { readCheckpoint, savedOf } from './status/saved';

/** Everything that a trigger keeps between two polls. */
export interface TriggerState {
	/** Checkpoints by event. */
	sources: Record<string, Checkpoint>;
	/** Of Message Received; undefined if the user did not choose it. */
	messages?: MessageCheckpoint;
}

/** Distinguishes the format from that of other versions, with which the trigger starts with an empty memory. */
const VERSION = 7;

/**
 * The state as one text: n8n saves 20,000 records as one text two hundred times as fast as in objects.
 *
 * If it would be too long, the memory with the longest text is shortened until all of them fit: docs/TRIGGER-INTERNALS.md
 * describes the effect. That of Message Received is bounded by itself, and never shortened.
 *
 * @param characters the most that n8n is to save for the node
 */
export function encode(
	{ sources, messages }: TriggerState,
	characters: number = STATE_CHARACTERS,
): string {
	const current = { ...sources };
	const ofMessages = messages ? `,"messages":${JSON.stringify(savedOfMessages(messages))}` : '';
	for (;;) {
		const texts = Object.entries(current).map(([event, each]) => ({
			event,
			text: JSON.stringify(savedOf(each)),
		}));
		const joined = texts.map(({ event, text }) => `${JSON.stringify(event)}:${text}`).join(',');
		const all = `{"version":${VERSION},"checkpoints":{${joined}}${ofMessages}}`;
		// n8n saves it inside another text, with its quotes escaped.
		const excess = JSON.stringify(all).length - characters;
		const cut = Object.entries(current).filter(
			([event, { memory }]) => memory?.isCut === true && memory === sources[event]?.memory,
		);
		if (cut.length > 0 && excess < -characters / 10) {
			// There is room again, so what was left out is read again.
			for (const [event, each] of cut)
				current[event] = { ...each, memory: { ...(each.memory as Memory), isCut: false } };
			continue;
		}
		const [longest] = texts.sort((one, other) => other.text.length - one.text.length);
		const memory = longest && current[longest.event]?.memory;
		const shorter = memory && excess > 0 ? shortened(memory, excess) : undefined;
		if (!longest || !shorter) return all;
		current[longest.event] = { ...(current[longest.event] as Checkpoint), memory: shorter };
	}
}

/** Whether it contains no memory of any event, and no other version may have had one. */
export const isEmpty = ({ sources, messages, isUnreadable }: DecodedState): boolean =>
	!isUnreadable && !messages?.memory && Object.values(sources).every(({ memory }) => !memory);

/** What a text contains, as far as this version can read it. */
export interface DecodedState extends TriggerState {
	/** Whether some of it cannot be read: it is damaged, cut off, or of another version. */
	isUnreadable: boolean;
}

/**
 * Reads what `encode` wrote, in a time that grows with the length of the text. The text may also have been damaged, or
 * written by hand: what cannot be read is left out.
 */
export function decode(text: unknown): DecodedState {
	if (text === undefined) return { sources: {}, isUnreadable: false };
	const state = typeof text === 'string' ? parseJson(text) : undefined;
	if (!isRecord(state)) return { sources: {}, isUnreadable: true };
	const isKnown = state.version === VERSION && isRecord(state.checkpoints);
	const read = Object.entries(isKnown ? (state.checkpoints as IDataObject) : {}).map(
		([event, saved]) => [event, readCheckpoint(saved)] as const,
	);
	const messages = readMessages(state.messages);
	const isComplete = read.every(([, checkpoint]) => checkpoint) && (!state.messages || messages);
	return {
		sources: Object.fromEntries(
			read.flatMap(([event, checkpoint]) => (checkpoint ? [[event, checkpoint]] : [])),
		),
		messages,
		isUnreadable: !isKnown || !isComplete,
	};
}
