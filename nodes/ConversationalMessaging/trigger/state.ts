import { digestOf } from './keys';
import { STATE_CHARACTERS } from './limits';
import type { MessageCheckpoint } from './messages/memory';
import {
	type Saved as SavedMessages,
	readCheckpoint as readMessages,
	savedOf as savedOfMessages,
} from './messages/saved';
import { shortened } from './status/memory';
import {
	type SavedCheckpoint,
	type SourceCheckpoint,
	readCheckpoint,
	savedOf,
} from './status/saved';

/** Everything that a trigger keeps between two polls. */
export interface TriggerState {
	/** Checkpoints by event. */
	sources: Record<string, SourceCheckpoint>;
	/** Of Message Received; undefined if the user did not choose it. */
	messages?: MessageCheckpoint;
}

/** To be raised with every change of what is saved: the trigger starts over with the state of another version. */
const VERSION = 10;

interface Saved {
	checkpoints: Record<string, SavedCheckpoint>;
	messages?: SavedMessages;
}

const signed = (body: string): string => `${VERSION} ${digestOf(body)} ${body}`;

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
		const all = signed(`{"checkpoints":{${joined}}${ofMessages}}`);
		// n8n saves it inside another text, with its quotes escaped.
		const excess = JSON.stringify(all).length - characters;
		const [longest] = texts.sort((one, other) => other.text.length - one.text.length);
		const memory = longest && current[longest.event]?.memory;
		const shorter = memory && excess > 0 ? shortened(memory, excess) : undefined;
		if (!longest || !shorter) return all;
		current[longest.event] = { ...(current[longest.event] as SourceCheckpoint), memory: shorter };
	}
}

/** Whether it contains no memory of any event, and no other version may have had one. */
export const isEmpty = ({ sources, messages, isUnreadable }: DecodedState): boolean =>
	!isUnreadable && !messages?.memory && Object.values(sources).every(({ memory }) => !memory);

export interface DecodedState extends TriggerState {
	/** Whether it cannot be read: it is damaged, cut off, or of another version. */
	isUnreadable: boolean;
}

/** Reads what `encode` wrote. Its digest shows that it is unchanged, so what it contains is not checked. */
export function decode(text: unknown): DecodedState {
	const nothing = { sources: {}, isUnreadable: text !== undefined };
	if (typeof text !== 'string') return nothing;
	const body = text.slice(text.indexOf('{'));
	if (text !== signed(body)) return nothing;
	const { checkpoints, messages } = JSON.parse(body) as Saved;
	return {
		sources: Object.fromEntries(
			Object.entries(checkpoints).map(([event, saved]) => [event, readCheckpoint(saved)]),
		),
		messages: messages && readMessages(messages),
		isUnreadable: false,
	};
}
