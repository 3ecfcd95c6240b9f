import { assumption, fails, holds, unknown } from '../assumption.mts';
import { typesAt, whyNot } from '../observe.mts';
import { say } from '../shown.mts';

export const waIdForm = assumption({
	id: 'wa-id-form',
	question: 'Are WhatsApp IDs written as digits, without a plus?',
	settles: [],
	otherwise:
		'The nodes send the digits of a number. A contact that Get, Update, Set or Create or Update does not find (404) is looked up once more with a plus.',
	observe: async (service) => await service.largePage('contacts'),
	judge({ path, rows, reading }, { names }) {
		if (!path) return unknown(whyNot(reading));
		const withId = rows.filter(({ waId }) => waId !== undefined && waId !== null && waId !== '');
		if (withId.length === 0) return unknown(say`no contact has ${names.key('waId')}`);
		const plus = withId.filter(
			({ waId }) => typeof waId === 'string' && waId.startsWith('+'),
		).length;
		const digits = withId.filter(({ waId }) => /^\d+$/.test(String(waId as string))).length;
		const other = withId.length - plus - digits;
		const seen = say`${digits} digits only, ${plus} with a plus, ${other} otherwise (${typesAt(withId, ['waId'])})`;
		return digits === withId.length ? holds(seen) : fails(seen);
	},
});
