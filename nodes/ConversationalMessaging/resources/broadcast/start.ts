import { shownMoment } from '../../parameters/dateTime';
import { endOfQuietHours } from '../../parameters/quietHours';
import type { BroadcastPlan } from './plan';

export interface Start {
	scheduleType: 'now' | 'schedule';
	/** As it is sent, in UTC: many services accept no other offset. Undefined for now. */
	sendAt?: string;
	/** In milliseconds since the epoch; for now, the current time. */
	ms: number;
	/** When it would have started without quiet hours. */
	postponedFrom?: number;
	/** That quiet hours change it, for the user. */
	notes: string[];
}

/**
 * When a broadcast starts: at the chosen time or now, but at the end of the quiet hours if that falls into them. A chosen
 * time may pass while the request waits for the rate limit; a service that accepts it starts at once.
 *
 * @param now in milliseconds since the epoch
 */
export function broadcastStart(
	{ sendAt, guards }: Pick<BroadcastPlan, 'sendAt' | 'guards'>,
	now: number,
): Start {
	const { quietHours, recipientTimeZone } = guards;
	const ms = Math.max(sendAt?.ms ?? now, now);
	const end = quietHours && endOfQuietHours(ms, quietHours, recipientTimeZone);
	if (end !== undefined) {
		const [from, to] = [ms, end].map((time) => shownMoment(time, recipientTimeZone).text);
		const notes = [`Quiet Hours: starts ${to}, instead of ${from}`];
		return { scheduleType: 'schedule', sendAt: inUtc(end), ms: end, postponedFrom: ms, notes };
	}
	return sendAt
		? { scheduleType: 'schedule', sendAt: inUtc(sendAt.ms), ms, notes: [] }
		: { scheduleType: 'now', ms, notes: [] };
}

const inUtc = (ms: number): string => new Date(ms).toISOString();
