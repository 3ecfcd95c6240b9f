import { recordOf } from '../../nodes/ConversationalMessaging/api/record.ts';
import { idOf } from '../../nodes/ConversationalMessaging/api/pages.ts';
import { assumption, failsAt, fails, holds, cannotTell } from '../assumption.mts';
import { whyNot } from '../observe.mts';
import { isWhatsAppKey, phoneKey } from '../phoneKey.mts';
import { isOk, type ListReading, type Reading } from '../service.mts';
import { say } from '../shown.mts';

interface Observed {
	list: ListReading;
	key?: string;
	id?: string;
	plain?: Reading;
	plus?: Reading;
}

export const waIdLookup = assumption<Observed>({
	id: 'wa-id-lookup',
	question: 'Is a contact found by its WhatsApp ID with and without a plus?',
	settles: ['createContact: whether a number with a plus and one without are the same contact'],
	otherwise:
		'The nodes send the digits of a number. If Get, Update, Set, Create or Update, or Sync do not find the contact (404), they look it up with a plus, and with the other WhatsApp ID of numbers in Mexico, Argentina and Brazil. Chat → Get Many and Wait for Reply ask for all of these forms.',
	async observe(service) {
		const list = await service.largePage('contacts');
		const key = phoneKey(list.rows);
		const row = list.rows.find(
			(entry) =>
				idOf(entry) !== undefined &&
				key !== undefined &&
				/^\+?\d{7,15}$/.test(String(entry[key] as string)),
		);
		if (!row || key === undefined) return { list };
		const digits = String(row[key] as string).replace('+', '');
		return {
			list,
			key,
			id: idOf(row),
			plain: await service.read('GET /contacts/{id}', { path: { id: digits } }),
			plus: await service.read('GET /contacts/{id}', { path: { id: `+${digits}` } }),
		};
	},
	judge({ list, key = '', id, plain, plus }, { names }) {
		if (!plain || !plus)
			return cannotTell(list.path ? say`no contact has a phone number` : whyNot(list.reading));
		const [found, foundPlus] = [plain, plus].map(
			(reading) => isOk(reading) && recordOf(reading.response?.json, ['contact']).id === id,
		);
		const isUnclear = [plain, plus].find(
			({ response }) => !response || response.status === 403 || response.status >= 500,
		);
		if (isUnclear) return cannotTell(whyNot(isUnclear));
		const status = plain.response?.status ?? 0;
		if (found && foundPlus) return holds(say`found with and without`);
		if (found)
			return fails(say`found without a plus only (${plus.response?.status ?? 0} with one)`);
		const routes = ['GET /contacts/{id}', 'PATCH /contacts/{id}'] as const;
		if (!foundPlus && !isWhatsAppKey(key))
			return cannotTell(
				say`not found by ${names.key(key)} (${status}), which may be another number than the WhatsApp ID`,
			);
		if (!foundPlus) return failsAt([...routes], say`found neither with nor without (${status})`);
		const seen = say`found with a plus only (${status} without)`;
		// Only a 404 is a reason to look it up once more.
		return status === 404 ? fails(seen) : failsAt([...routes], seen);
	},
});
