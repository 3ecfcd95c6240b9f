import type { IDataObject } from 'n8n-workflow';
import { LIMITS } from '../../nodes/ConversationalMessaging/trigger/limits.ts';
import { emptyMemory } from '../../nodes/ConversationalMessaging/trigger/memory.ts';
import type { Reader } from '../../nodes/ConversationalMessaging/trigger/reader.ts';
import { Seen } from '../../nodes/ConversationalMessaging/trigger/seen.ts';
import type { SourcePoll } from '../../nodes/ConversationalMessaging/trigger/sourcePoll.ts';

/** The poll of which a test calls one step. */
export const pollOf = (
	reader: Reader,
	{ scope = {}, ...rest }: Partial<SourcePoll> & { scope?: IDataObject } = {},
): SourcePoll => ({
	reader,
	subscription: {
		source: reader.source,
		scope,
		filter: { statuses: [], includeNew: true },
		details: false,
	},
	memory: emptyMemory(),
	seen: new Seen(),
	limits: LIMITS,
	...rest,
});
