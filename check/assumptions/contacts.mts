/** Contacts, their numbers and custom fields, and the members of segments. */
import { recordOf } from '../../nodes/ConversationalMessaging/api/response/record.ts';
import { idOf, isRecord } from '../../nodes/ConversationalMessaging/api/response/response.ts';
import { textOf } from '../../nodes/ConversationalMessaging/api/base/text.ts';
import {
	customFieldsIn,
	customFieldsOf,
} from '../../nodes/ConversationalMessaging/api/response/customFields.ts';
import { MEMBER_NAMES } from '../../nodes/ConversationalMessaging/resources/shared/segmentMembers.ts';
import {
	cannotTell,
	fails,
	failsAt,
	failsFor,
	holds,
	unread,
	withoutRows,
	type Assumption,
} from '../assumption.mts';
import { key, keys, path } from '../names.mts';
import { operationsOf } from '../operations.mts';
import { isOk, isUnclear, listIn, whyNot, type Reading } from '../service.mts';
import { count, say } from '../shown.mts';

export const contactShape: Assumption = {
	id: 'contact-shape',
	question: 'Do the nodes find a contact and its custom fields in the response?',
	otherwise:
		'Contact Field → Set does not find an existing field, and asks for its ID instead of creating a second one.',
	async check(service) {
		const list = await service.list('contacts');
		// A contact that has custom fields shows more than one without.
		const hasFields = list.rows.find((entry) => customFieldsOf(entry)?.fields.length);
		const id = idOf(hasFields ?? list.rows[0]);
		if (id === undefined)
			return withoutRows(list) ?? cannotTell(say`no contact with an ID was read`);
		const reading = await service.read('GET /contacts/{id}', { path: { id } });
		if (!isOk(reading)) return unread(reading);
		const json = reading.response?.json;
		const found = recordOf(json, ['contact']);
		const where = found.key === undefined ? say`directly in data` : say`under ${key(found.key)}`;
		if (found.id === undefined)
			return failsAt('GET /contacts/{id}', where, say`its ID is not found`);
		const fields = customFieldsIn(json)?.fields ?? [];
		if (fields.length > 0) {
			const seen = count(fields.length, 'custom field');
			return fields.every((field) => field.id !== undefined)
				? holds(where, say`${seen} with ID`)
				: fails(where, say`${seen}, not all with ID`);
		}
		const shown = say`keys of the contact: ${keys(Object.keys(found.record))}`;
		return hasFields
			? fails(where, say`the list shows custom fields, the contact itself does not`, shown)
			: cannotTell(where, say`no custom fields were recognized`, shown);
	},
};

const NUMBER = /^\+?\d{7,15}$/;

export const contactNumber: Assumption = {
	id: 'contact-number',
	question: 'Is a contact found by the digits of its WhatsApp ID?',
	otherwise:
		'The nodes send the digits of a number. After a 404, they look the contact up with a plus, so one request becomes two. After any other rejection, they do not, and the operation fails.',
	async check(service) {
		const list = await service.list('contacts');
		const all = list.rows.map(({ waId }) => textOf(waId)).filter((waId) => waId !== '');
		const row = list.rows.find(
			({ id, waId }) => idOf({ id }) !== undefined && NUMBER.test(textOf(waId)),
		);
		if (!row)
			return withoutRows(list) ?? cannotTell(say`no contact shows a number in ${key('waId')}`);
		const digits = textOf(row.waId).replace('+', '');
		const plain = await service.read('GET /contacts/{id}', { path: { id: digits } });
		const plus = await service.read('GET /contacts/{id}', { path: { id: `+${digits}` } });
		const unclear = [plain, plus].find(isUnclear);
		if (unclear) return cannotTell(whyNot(unclear));
		const isFound = (reading: Reading) =>
			isOk(reading) && recordOf(reading.response?.json, ['contact']).id === idOf(row);
		const number = (test: (waId: string) => boolean) => all.filter(test).length;
		const forms = say`${key('waId')}: ${number((waId) => /^\d+$/.test(waId))} digits only, ${number((waId) => waId.startsWith('+'))} with a plus`;
		const status = plain.response?.status ?? 0;
		if (isFound(plain))
			return holds(
				forms,
				isFound(plus) ? say`found with and without a plus` : say`found without a plus only`,
			);
		const seen = isFound(plus)
			? say`found with a plus only (${status} without)`
			: say`found neither with a plus nor without (${status})`;
		// Only a 404 is a reason to look it up once more.
		return isFound(plus) && status === 404
			? fails(forms, seen)
			: failsFor(operationsOf(['GET /contacts/{id}', 'PATCH /contacts/{id}']), forms, seen);
	},
};

export const segmentMembers: Assumption = {
	id: 'segment-members',
	question: 'Do the nodes find the members of a segment, and how many there are?',
	otherwise:
		'Without the number of members, Segment → Get reads page after page until one has no new members. Without the members, it stops with a message.',
	async check(service) {
		const { list, reading } = await service.firstRecord('segments', 'GET /segments/{id}');
		if (!reading) return withoutRows(list) ?? cannotTell(say`no segment with an ID was read`);
		if (!isOk(reading)) return unread(reading);
		const members = listIn(reading, MEMBER_NAMES);
		if (!members.path) return failsAt('GET /segments/{id}', say`no list of members is found`);
		const place =
			members.path.length === 0 ? say`directly in data` : say`under ${path(members.path)}`;
		const isMemberships = members.rows.some(({ contact }) => isRecord(contact));
		const where = isMemberships ? say`${place}, as memberships with the contact in them` : place;
		return members.meta.total === undefined
			? fails(where, say`the number of members is not found`)
			: holds(where);
	},
};
