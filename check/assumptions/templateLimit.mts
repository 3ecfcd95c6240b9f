import { assumption, failsAt, fails, holds, cannotTell } from '../assumption.mts';
import { whyNot } from '../observe.mts';
import type { ListReading } from '../service.mts';
import { say } from '../shown.mts';

/** Templates requested. */
const LIMIT = 2;

interface Observed {
	large: ListReading;
	usual: ListReading;
	two: ListReading;
}

export const templateLimit = assumption<Observed>({
	id: 'template-limit',
	question:
		'Is the limit of the list of templates exact, and does a limit of 1000 return at least as many as none?',
	settles: [
		'listTemplates: how far the number of rows may be from limit',
		'listTemplates: how many are returned without a limit (about 100 here)',
	],
	otherwise: 'Get Many cuts what is too much, and shows a hint if the service may have more.',
	observe: async (service) => ({
		large: await service.list('GET /templates', ['templates'], { query: { limit: 1000 } }),
		usual: await service.list('GET /templates', ['templates'], {}),
		two: await service.list('GET /templates', ['templates'], { query: { limit: LIMIT } }),
	}),
	judge({ large, usual, two }) {
		if (!large.path && usual.path && !large.reading.response)
			return cannotTell(whyNot(large.reading));
		if (!large.path && usual.path)
			return failsAt(
				['GET /templates'],
				say`limit=1000, which the nodes send, is rejected with ${large.reading.response?.status ?? 0}`,
			);
		if (!usual.path) return cannotTell(whyNot(usual.reading));
		if (!two.path) return cannotTell(whyNot(two.reading));
		const seen = say`${usual.length} without a limit, ${large.length} with limit=1000, ${two.length} with limit=${LIMIT}`;
		const all = Math.max(large.length, usual.length);
		if (large.length < usual.length) return failsAt(['GET /templates'], seen);
		if (all <= LIMIT) return cannotTell(seen);
		return two.length === LIMIT ? holds(seen) : fails(seen);
	},
});
