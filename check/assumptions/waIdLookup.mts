import { recordOf } from '../../nodes/ConversationalMessaging/api/record.ts';
import { idOf } from '../../nodes/ConversationalMessaging/api/pages.ts';
import { assumption, breaking, holds, unknown } from '../assumption.mts';
import { whyNot } from '../observe.mts';
import { isOk, type ListReading, type Reading } from '../service.mts';
import { say } from '../shown.mts';

interface Observed {
	list: ListReading;
	id?: string;
	plain?: Reading;
	plus?: Reading;
}

export const waIdLookup = assumption<Observed>({
	id: 'wa-id-lookup',
	question: 'Is a contact found by its WhatsApp ID with and without a plus?',
	settles: [],
	otherwise:
		'A number that is entered in the form that the service does not know is not found: Create or Update then tries to create the contact, although it exists.',
	async observe(service) {
		const list = await service.largePage('contacts');
		const row = list.rows.find(
			(entry) => idOf(entry) !== undefined && /^\+?\d{7,15}$/.test(String(entry.waId as string)),
		);
		if (!row) return { list };
		const digits = String(row.waId as string).replace('+', '');
		return {
			list,
			id: idOf(row),
			plain: await service.read('GET /contacts/{id}', { path: { id: digits } }),
			plus: await service.read('GET /contacts/{id}', { path: { id: `+${digits}` } }),
		};
	},
	judge({ list, id, plain, plus }) {
		if (!plain || !plus)
			return unknown(list.path ? say`no contact has a WhatsApp ID` : whyNot(list.reading));
		const [found, foundPlus] = [plain, plus].map(
			(reading) => isOk(reading) && recordOf(reading.response?.json, ['contact']).id === id,
		);
		const isUnclear = [plain, plus].find(
			({ response }) => !response || response.status === 403 || response.status >= 500,
		);
		if (isUnclear) return unknown(whyNot(isUnclear));
		const routes = ['GET /contacts/{id}', 'PATCH /contacts/{id}'] as const;
		if (found && foundPlus) return holds(say`found with and without`);
		if (found)
			return breaking(
				[...routes],
				say`found without a plus only (${plus.response?.status ?? 0} with one)`,
			);
		return foundPlus
			? breaking([...routes], say`found with a plus only (${plain.response?.status ?? 0} without)`)
			: breaking([...routes], say`found neither with nor without (${plain.response?.status ?? 0})`);
	},
});
