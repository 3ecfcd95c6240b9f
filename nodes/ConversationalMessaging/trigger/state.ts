import { isRecord } from '../api/response';
import type { Checkpoints } from './checkpoint';
import { encode, parse, readCheckpoints } from './checkpoint';
import { LIMITS } from './limits';
import type { MessageCheckpoint } from './messages/state';
import { readSaved, saved } from './messages/state';

/** Everything that a trigger keeps between two polls. */
export interface TriggerState {
	/** By event. */
	sources: Checkpoints;
	/** Of Message Received; undefined if the user did not choose it. */
	messages?: MessageCheckpoint;
}

/** As one text. What the chats need is not left to the records of other events. */
export function encodeState({ sources, messages }: TriggerState): string {
	if (!messages) return encode(sources);
	const text = JSON.stringify(saved(messages));
	const characters = Math.max(0, LIMITS.characters - text.length);
	const others = encode(sources, { ...LIMITS, characters });
	return `${others.slice(0, -1)},"messages":${text}}`;
}

/** @returns no checkpoints for a text that this version cannot read: of another format, damaged, or empty */
export function decodeState(text: unknown): TriggerState {
	const parsed = parse(text);
	const messages = isRecord(parsed) ? readSaved(parsed.messages) : undefined;
	return { sources: readCheckpoints(parsed), messages };
}
