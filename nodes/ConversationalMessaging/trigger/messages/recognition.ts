import type { IDataObject, INode, NodeOperationError } from 'n8n-workflow';
import { type Message as Text, shown } from '../../api/access/shown';
import { invalid } from '../../api/errors';
import { directionValue } from '../../api/response/chatMessage';
import { fieldNamesText } from '../failures';
import type { Message } from './message';
import type { MessageSubscription } from './subscription';

interface Recognition {
	/** What they do not show; undefined if they show everything, or there is no message. */
	error?: NodeOperationError;
	/** Whether it is too early for the error: once the workflow is published, one message alone may be a note. */
	isEarly?: boolean;
	/** Whether this holds whatever is read later. */
	isLasting: boolean;
}

/** The settings as text, to notice that they changed. */
export const recognitionText = ({ from, direction, timeField }: MessageSubscription): string =>
	JSON.stringify([from, direction, timeField]);

/**
 * Checks that the messages of customers are recognized, and that messages have a time. Otherwise the trigger would be
 * silent for good, or a workflow could reply to itself.
 *
 * @param isPublishing whether these are the first messages, or the settings have changed
 */
export function recognize(
	read: readonly Message[],
	subscription: MessageSubscription,
	node: INode,
	isPublishing = true,
): Recognition {
	const isAny = subscription.from === 'both';
	const isProven = isAny || read.some((message) => provesDirection(message, subscription));
	// Messages that agents sent do not prove that customers' are recognized, but do not disprove it either. With a field, any
	// message disproves it: none has a value in it, or all have one although Direction Value is empty.
	const { direction } = subscription;
	const isUnclear = ({ isInbound }: Message): boolean =>
		isInbound === undefined ||
		(direction !== undefined && (isPublishing || direction.value !== ''));
	const [unclear, another] = isProven ? [] : read.filter(isUnclear);
	if (unclear) {
		const error = directionError(node, unclear.record, read, subscription);
		return { error, isEarly: !isPublishing && !another, isLasting: false };
	}
	const wanted = read.filter(({ isWanted }) => isWanted);
	const timed = wanted.length > 0 ? wanted : read;
	const hasTimes = timed.some(({ time }) => time !== undefined);
	if (timed[0] && !hasTimes)
		return { error: timeError(node, timed[0].record, subscription), isLasting: false };
	return { isLasting: isProven && hasTimes };
}

/** So many messages in a row that are newer than the one before show a history that begins with the oldest. */
const RISING = 4;

/**
 * Checks that histories are newest first (API document, `GET /chats/{id}/messages`). Otherwise nothing would ever be new. What
 * agents wrote may have another clock.
 *
 * @param histories the messages of each chat
 */
export function orderError(
	histories: readonly (readonly Message[])[],
	node: INode,
): NodeOperationError | undefined {
	const steps = histories.flatMap((messages) => {
		const times = messages.flatMap(({ time, isInbound }) => (isInbound ? (time ?? []) : []));
		return times.slice(1).map((time, i) => time - (times[i] ?? 0));
	});
	const isRising = steps.every((step) => step >= 0);
	if (!isRising || steps.filter((step) => step > 0).length < RISING) return undefined;
	return invalid(
		node,
		'The service returns the oldest messages of a chat first',
		'Message Received needs the newest ones first, as the service’s API document says. Ask the operator of the service.',
	);
}

/** Whether a message shows that those of customers are recognized: it is one, or the field of the setting has a value. */
function provesDirection(
	{ record, isInbound }: Message,
	{ direction }: MessageSubscription,
): boolean {
	return direction?.value ? Boolean(directionValue(record, direction)) : isInbound === true;
}

function directionError(
	node: INode,
	message: IDataObject,
	read: readonly Message[],
	{ direction }: MessageSubscription,
): NodeOperationError {
	const unrecognized = <T extends string>(text: Text<T>, step: string): NodeOperationError =>
		invalid(node, text, shown`${step} ${fieldNamesText('a message', message)}`);
	if (!direction)
		return unrecognized(
			'The messages do not show whether the customer sent them',
			'Add Direction Field and Direction Value in Options, with the field and the value that messages from customers have, or set Messages From to Both Directions.',
		);
	if (read.every(({ record }) => directionValue(record, direction) === undefined))
		return unrecognized(
			shown`No message has the field "${direction.key}"`,
			'Correct Direction Field.',
		);
	return unrecognized(
		shown`No message has the field "${direction.key}" without a value`,
		'Direction Value is empty, so only messages that have the field without a value count as messages from customers. Enter the value that messages from customers have.',
	);
}

function timeError(
	node: INode,
	message: IDataObject,
	{ timeField }: MessageSubscription,
): NodeOperationError {
	const [text, step] =
		timeField === undefined
			? [
					'The messages do not show when they were sent',
					'Add Time Field in Options, with the field that contains date and time.',
				]
			: [`No message has a date and time in the field "${timeField}"`, 'Correct Time Field.'];
	return invalid(node, shown`${text}`, shown`${step} ${fieldNamesText('a message', message)}`);
}
