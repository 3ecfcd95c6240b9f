import type { IDataObject } from 'n8n-workflow';
import { DateTime } from 'luxon';
import { type Shown, shown } from '../../api/access/shown';
import {
	isFromCustomer,
	messageText,
	oldestFirst,
	senderName,
	sentAt,
} from '../../api/response/chatMessage';
import { isRecord } from '../../api/response/response';
import { textOf } from '../../api/base/text';
import type { Output } from '../../runner/output';

/**
 * A conversation as text, oldest message first, for an AI agent's prompt:
 *
 *     [2026-11-23 09:14] Customer: Where is my order?
 *     [2026-11-23 09:16] Kim Lee: It arrives
 *       on Tuesday.
 *
 * @param timeZone an IANA name, for the times
 */
export function transcriptOf(
	rows: unknown[],
	timeZone: string,
	notify: (message: Shown) => void,
): Output {
	const messages = oldestFirst(rows.filter(isRecord));
	const senders = messages.map(senderOf);
	const unknown = senders.filter((sender) => sender === UNKNOWN).length;
	if (unknown > 0) {
		notify(
			shown`${unknown} of ${messages.length} messages do not show who sent them. In the transcript, their sender is ${UNKNOWN}`,
		);
	}
	const lines = messages.map((message, index) => {
		const at = sentAt(message);
		const time = at === undefined ? '' : `[${localTime(at, timeZone)}] `;
		return `${time}${senders[index]}: ${contentOf(message)}`;
	});
	return { json: {}, addedFields: { transcript: lines.join('\n'), messageCount: messages.length } };
}

const UNKNOWN = 'Unknown';

/** "Customer", or the name of the colleague or of the AI agent, as far as the message shows it. */
function senderOf(message: IDataObject): string {
	const fromCustomer = isFromCustomer(message);
	if (fromCustomer === undefined) return UNKNOWN;
	return fromCustomer ? 'Customer' : oneLine(senderName(message) ?? 'Business');
}

/** Further lines are indented: a customer could write one that looks like a message of a colleague. */
const contentOf = (message: IDataObject): string =>
	messageText(message)?.trim().split(LINE_BREAK).join('\n  ') ?? `(${fileType(message)})`;

const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;

const fileType = ({ type }: IDataObject): string =>
	oneLine(textOf(type).toLowerCase()) || 'no text';

const oneLine = (text: string): string => text.replace(/[\s:]+/g, ' ').trim();

const localTime = (ms: number, timeZone: string): string =>
	DateTime.fromMillis(ms, { zone: timeZone }).toFormat('yyyy-MM-dd HH:mm');
