import { statusOf } from '../../nodes/ConversationalMessaging/api/response.ts';
import { upperCase } from '../../nodes/ConversationalMessaging/trigger/sources/source.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/sources/tickets.ts';
import { assumption, failsAt, holds, cannotTell } from '../assumption.mts';
import { statusLike } from '../statusKeys.mts';
import { count, join, say } from '../shown.mts';
import { typesAt, whyNot } from '../observe.mts';

const DOCUMENTED = tickets.partitions.map(({ status }) => status);

export const ticketStatus = assumption({
	id: 'ticket-status',
	question: 'Does every ticket show one of the four documented statuses where the nodes read it?',
	settles: [],
	otherwise:
		'The trigger cannot see a status under another name, and a status that is not documented cannot be selected.',
	observe: async (service) => await service.largePage('tickets'),
	judge({ path, rows, reading }, { names }) {
		if (!path) return cannotTell(whyNot(reading));
		if (rows.length === 0) return cannotTell(say`there are no tickets`);
		const shown = rows.map(statusOf);
		const found = shown.filter((status) => status !== undefined);
		const others = statusLike(rows).map(
			(keys) => say`${names.path(keys)} (${typesAt(rows, keys)})`,
		);
		if (found.length < rows.length)
			return failsAt(
				['GET /tickets', 'GET /tickets/{id}'],
				say`no status in ${rows.length - found.length} of ${count(rows.length, 'ticket')}`,
				others.length > 0 ? say`possible keys: ${join(others)}` : say`no key looks like a status`,
			);
		const key = rows.every(({ status }) => status !== undefined) ? 'status' : 'state';
		const seen = [say`${names.key(key)} (${typesAt(rows, [key])}): ${names.words(found)}`];
		if (found.some((status) => !DOCUMENTED.includes(upperCase(status))))
			return failsAt(
				['GET /tickets', 'GET /tickets/{id}'],
				...seen,
				say`at least one of them is not documented`,
			);
		return holds(...seen);
	},
});
