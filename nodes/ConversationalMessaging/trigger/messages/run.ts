import type { NodeApiError } from 'n8n-workflow';
import type { MessageBaseline } from './baseline';
import type { ReadChat } from './evidence';
import type { MessageLimits } from './limits';
import type { Reads } from './reads';
import type { MessageSubscription } from './subscription';

/** What every step of a poll uses. */
export interface PollRun {
	reads: Reads;
	subscription: MessageSubscription;
	limits: MessageLimits;
	/** Writes a line to n8n's log. */
	log: (message: string) => void;
}

/** What a poll found. */
export interface Compared {
	/** Missing until a poll has read the list of chats. */
	baseline?: MessageBaseline;
	read: ReadChat[];
	/** Why nothing could be read. */
	rejection?: NodeApiError;
}
