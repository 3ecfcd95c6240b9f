/** What the log and errors of Message Received say. */
import type { Listing } from '../../../nodes/ConversationalMessaging/trigger/messages/listing.ts';
import { MESSAGE_LIMITS } from '../../../nodes/ConversationalMessaging/trigger/messages/limits.ts';
import {
	directionError,
	noMessage,
	readInParts,
	tooLong,
	unreadableChats,
	watchedInTurn,
} from '../../../nodes/ConversationalMessaging/trigger/messages/texts.ts';
import { NODE, SUBSCRIPTION } from './watch.mts';

const pagesOf = (pages: number, isCounted = true) => ({ pages, isCounted }) as Listing;

test.each<[string, text: string, part: string]>([
	[
		'a round',
		watchedInTurn(1_000, 140),
		'With 1000 chats and 140 per poll, a message is emitted after at most 8 polls.',
	],
	['fewer chats than a poll reads', watchedInTurn(5, 140), 'after at most 1 polls.'],
	['no chats', watchedInTurn(0, 0), 'after at most 1 polls.'],
	[
		'pages',
		readInParts(pagesOf(40), 15),
		'The list of chats has 40 pages, of which half of the rate limit allows 15 per poll.',
	],
	['a pass', readInParts(pagesOf(43), 15), 'noticed after at most 3 polls.'],
	['one page more', readInParts(pagesOf(44), 15), 'noticed after at most 4 polls.'],
	[
		'an unknown number of pages',
		readInParts(pagesOf(15, false), 15),
		'The list of chats has more pages than the 15 that half of the rate limit allows per poll.',
	],
	['too many chats', tooLong(MESSAGE_LIMITS), 'Only the first 12000 chats of the list are watched'],
	[
		'no message from a customer',
		noMessage({ ...SUBSCRIPTION, from: 'customers' }),
		'no message from a customer was found in the first 10 chats',
	],
	[
		'no message in either direction',
		noMessage({ ...SUBSCRIPTION, from: 'both' }),
		'no message was found in the first 10 chats',
	],
	['one chat', unreadableChats(1, 'Why'), 'The messages of one chat could not be read.'],
	['two chats', unreadableChats(2, 'Why'), 'The messages of 2 chats could not be read.'],
	['the reason', unreadableChats(2, 'Why'), 'tries again in later polls. Why'],
])('%s', (_name, text, part) => {
	expect(text).toContain(part);
});

test('at most 20 fields of a message are shown', () => {
	const message = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`f${i}`, 1]));
	const shown = { isShown: false, isLasting: false };
	const error = directionError(NODE, message, shown);
	expect(error.message).toBe('The messages do not show whether the customer sent them');
	expect(error.description).toMatch(
		/^Enter the field .* set From to Both Directions\. The fields of a message are: f0, f1, .*, f19\.$/,
	);
	expect(
		directionError(NODE, { a: 1 }, { ...shown, hasField: false }, { key: 'by', value: '' })
			.description,
	).toBe('Correct Direction Field. The fields of a message are: a.');
	expect(
		directionError(NODE, { by: 'A1' }, { ...shown, hasField: true }, { key: 'by', value: '' })
			.message,
	).toBe('No message has the field "by" without a value');
});
