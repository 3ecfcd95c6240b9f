import { isUserId } from '../../nodes/ConversationalMessaging/parameters/address.ts';
import { assumption, cannotTell, fails, holds } from '../assumption.mts';
import { whyNot } from '../observe.mts';
import { join, say } from '../shown.mts';

export const waIdUsers = assumption({
	id: 'wa-id-users',
	question: 'Do all WhatsApp contacts have a phone number, and none a business-scoped user ID?',
	settles: [],
	otherwise:
		'The nodes accept such an ID (US.13491208655302741918) wherever they accept a WhatsApp ID, and never compare it with phone numbers. An ID in another key than waId cannot be picked from the list of recipients.',
	observe: async (service) => await service.largePage('contacts'),
	judge({ path, rows, reading }, { names }) {
		if (!path) return cannotTell(whyNot(reading));
		if (rows.length === 0) return cannotTell(say`the list is empty`);
		const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))];
		const counts = keys
			.map((key) => ({ key, count: rows.map((row) => row[key]).filter(isUserIdText).length }))
			.filter(({ count }) => count > 0);
		if (counts.length === 0) return holds(say`none of ${rows.length} contacts has such an ID`);
		const seen = counts.map(({ key, count }) => say`${names.key(key)}: ${count} of ${rows.length}`);
		return fails(say`business-scoped user IDs in ${join(seen)}`);
	},
});

const isUserIdText = (value: unknown): boolean => typeof value === 'string' && isUserId(value);
