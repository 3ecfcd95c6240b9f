import { isUserId } from '../../nodes/ConversationalMessaging/parameters/address.ts';
import { assumption, fails, holds, cannotTell } from '../assumption.mts';
import { whyNot } from '../observe.mts';
import { phoneKey } from '../phoneKey.mts';
import { say } from '../shown.mts';

export const waIdForm = assumption({
	id: 'wa-id-form',
	question: 'Are WhatsApp IDs written as digits, without a plus?',
	settles: [],
	otherwise:
		'The nodes send the digits of a number. A contact that Get, Update, Set or Create or Update does not find (404) is looked up once more with a plus.',
	observe: async (service) => await service.largePage('contacts'),
	judge({ path, rows, reading }, { names }) {
		if (!path) return cannotTell(whyNot(reading));
		const key = phoneKey(rows);
		if (key === undefined) return cannotTell(say`no contact has a phone number`);
		const numbers = rows
			.map((row) => row[key])
			.filter((value) => value !== undefined && value !== null && value !== '')
			.map((value) => String(value as string))
			.filter((value) => !isUserId(value));
		const plus = numbers.filter((number) => number.startsWith('+')).length;
		const digits = numbers.filter((number) => /^\d+$/.test(number)).length;
		const other = numbers.length - plus - digits;
		const seen = say`${names.key(key)}: ${digits} digits only, ${plus} with a plus, ${other} otherwise`;
		return digits === numbers.length ? holds(seen) : fails(seen);
	},
});
