import type { IDataObject } from 'n8n-workflow';
import {
	type MessageLimits,
	MESSAGE_LIMITS,
} from '../../../nodes/ConversationalMessaging/trigger/limits.ts';
import { RequestBudget } from '../../../nodes/ConversationalMessaging/trigger/budget.ts';
import { NEEDED } from '../../../nodes/ConversationalMessaging/trigger/messages/shares.ts';
import { pollMessages } from '../../../nodes/ConversationalMessaging/trigger/messages/poll.ts';
import {
	readCheckpoint,
	savedOf,
} from '../../../nodes/ConversationalMessaging/trigger/messages/saved.ts';
import type { MessageCheckpoint } from '../../../nodes/ConversationalMessaging/trigger/messages/memory.ts';
import type { MessageSubscription } from '../../../nodes/ConversationalMessaging/trigger/messages/subscription.ts';
import { contextWith } from '../histories.mts';
import type { FakeChats } from './chats.mts';

export const SUBSCRIPTION: MessageSubscription = {
	query: {},
	from: 'customers',
	isGrouped: false,
	direction: undefined,
	timeField: undefined,
};

/** The event, polled without n8n. Its state is kept as text, as n8n does. */
export class Watch {
	/** The lines of n8n's log. */
	readonly logged: string[] = [];

	/** Of the process that polls. */
	sent = new RequestBudget();

	/** The number of its poll times. */
	pollTimes = 1;

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
		const { windowSize } = this.service.habits;
		const event = 'messageReceived';
		const events = [{ event, needed: NEEDED, weight: 1 }];
		const budget = this.sent.begin(events, () => windowSize, this.pollTimes).get(event);
		if (!budget) return { items: [] };
		this.service.budget = budget;
		const { checkpoint, items, error } = await pollMessages(
			this.service,
			this.subscription,
			{ scope, token },
			this.checkpoint,
			contextWith(this.logged),
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
