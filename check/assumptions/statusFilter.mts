import { statusOf } from '../../nodes/ConversationalMessaging/api/response.ts';
import { upperCase } from '../../nodes/ConversationalMessaging/trigger/sources/source.ts';
import { assumption, failsAt, holds, cannotTell } from '../assumption.mts';
import { LISTS } from '../lists.mts';
import { whyNot } from '../observe.mts';
import type { ListReading } from '../service.mts';
import { count, say } from '../shown.mts';

interface Observed {
	all: ListReading;
	open: ListReading;
}

export const statusFilter = assumption<Observed>({
	id: 'status-filter',
	question: 'Does the filter of the tickets by status return the tickets with this status only?',
	settles: [],
	otherwise:
		'Get Many with a status returns other tickets too. The trigger reads tickets by status if there are many, and then reports wrong changes.',
	observe: async (service) => ({
		all: await service.largePage('tickets'),
		open: await service.list(LISTS.tickets.endpoint, ['tickets'], {
			query: { status: 'OPEN', limit: 50 },
		}),
	}),
	judge({ all, open }) {
		if (!all.path) return cannotTell(whyNot(all.reading));
		if (!open.path) {
			const { response } = open.reading;
			if (response && [400, 422].includes(response.status))
				return failsAt(['GET /tickets'], say`status=OPEN is rejected with ${response.status}`);
			return cannotTell(whyNot(open.reading));
		}
		const isOpen = (row: Parameters<typeof statusOf>[0]) =>
			upperCase(statusOf(row) ?? '') === 'OPEN';
		const others = open.rows.filter((row) => statusOf(row) !== undefined && !isOpen(row)).length;
		if (others > 0)
			return failsAt(
				['GET /tickets'],
				say`status=OPEN returns ${others} of ${count(open.rows.length, 'row')} with another status`,
			);
		const known = all.rows.filter((row) => statusOf(row) !== undefined);
		const missing = known.filter(isOpen).length;
		if (open.rows.length === 0)
			return missing > 0
				? failsAt(
						['GET /tickets'],
						say`status=OPEN returns nothing, but the list has ${count(missing, 'open ticket')}`,
					)
				: cannotTell(say`no ticket is open`);
		if (known.length === 0) return cannotTell(say`the tickets show no status`);
		if (known.every(isOpen)) return cannotTell(say`all tickets are open`);
		return holds(say`status=OPEN returns ${count(open.rows.length, 'row')}, all open`);
	},
});
