import type { Shown } from '../../../nodes/ConversationalMessaging/api/access/shown.ts';
import type { IDataObject, INode } from 'n8n-workflow';
import type { MessageLimits } from '../../../nodes/ConversationalMessaging/trigger/limits.ts';
import { MESSAGE_LIMITS } from '../../../nodes/ConversationalMessaging/trigger/limits.ts';
import { pollMessages } from '../../../nodes/ConversationalMessaging/trigger/messages/poll.ts';
import {
	readCheckpoint,
	savedOf,
} from '../../../nodes/ConversationalMessaging/trigger/messages/saved.ts';
import type { MessageCheckpoint } from '../../../nodes/ConversationalMessaging/trigger/messages/memory.ts';
import type { MessageSubscription } from '../../../nodes/ConversationalMessaging/trigger/messages/subscription.ts';
import type { FakeChats } from './chats.mts';

export const SUBSCRIPTION: MessageSubscription = {
	query: {},
	from: 'customers',
	isGrouped: false,
	direction: undefined,
	timeField: undefined,
};

export const NODE = { id: 'node', name: 'Trigger', type: 'trigger', typeVersion: 1 } as INode;

/** The event, polled without n8n. Its state is kept as text, as n8n does. */
export class Watch {
	readonly log: string[] = [];

	constructor(
		readonly service: FakeChats,
		readonly limits: MessageLimits = MESSAGE_LIMITS,
		public subscription: MessageSubscription = SUBSCRIPTION,
		public text = '',
	) {}

	get checkpoint(): MessageCheckpoint | undefined {
		return this.text === '' ? undefined : readCheckpoint(JSON.parse(this.text));
	}

	/** One poll. @returns its items */
	async poll(scope = 'scope', token = 'token'): Promise<{ items: IDataObject[]; error?: Error }> {
		this.service.begin();
		const context = {
			node: NODE,
			log: {
				warn: (line: Shown) => void this.log.push(String(line)),
				info: (line: Shown) => void this.log.push(String(line)),
			},
		};
		const { checkpoint, items, error } = await pollMessages(
			this.service,
			this.subscription,
			{ scope, token },
			this.checkpoint,
			context,
			this.limits,
		);
		this.text = JSON.stringify(savedOf(checkpoint));
		return { items: items.map(({ json }) => json), error };
	}

	/** The IDs of the messages that one poll emits. */
	async ids(): Promise<string[]> {
		return (await this.poll()).items.map(({ recordId }) => recordId as string);
	}
}
