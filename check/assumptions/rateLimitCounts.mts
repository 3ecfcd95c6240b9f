import { assumption, fails, holds, cannotTell } from '../assumption.mts';
import { groupBy } from '../observe.mts';
import type { Reading } from '../service.mts';
import { count, say } from '../shown.mts';

export const rateLimitCounts = assumption({
	id: 'rate-limit-counts',
	question: 'Does the number of requests left fall with each request, whatever its route?',
	settles: [],
	otherwise:
		'The nodes count what is in flight themselves, and assume one limit per token: they go by the lowest number reported, so they may wait although some routes have requests left.',
	async observe(service) {
		await service.largePage('tickets');
		await service.largePage('tickets', 1);
	},
	judge(_observed, { readings }) {
		const all = changes(readings);
		if (all.compared === 0)
			return cannotTell(say`too few responses report how many requests are left`);
		const routes = groupBy(readings, ({ endpoint }) => endpoint);
		const own = [...routes.values()].map(changes);
		const ownCompared = own.reduce((sum, { compared }) => sum + compared, 0);
		const ownFell = own.reduce((sum, { fell }) => sum + fell, 0);
		const counted = say`it fell between ${all.fell} of ${count(all.compared, 'response')} in a row, and not between ${all.compared - all.fell}`;
		if (all.fell === all.compared) return holds(counted);
		if (all.fell === 0 && ownFell === 0) return fails(counted);
		if (ownCompared > 1 && ownFell === ownCompared)
			return fails(
				counted,
				say`each route counts its own requests: it fell between ${ownFell} of ${count(ownCompared, 'response')} of one route`,
			);
		return fails(counted);
	},
});

/**
 * How often what is left fell from one response to the next in the same window. A window that begins anew in between
 * is not compared.
 */
function changes(readings: readonly Reading[]): { compared: number; fell: number } {
	let compared = 0;
	let fell = 0;
	const reported = readings.filter(({ rate }) => rate.remaining !== undefined);
	reported.slice(1).forEach((reading, index) => {
		const previous = reported[index] as Reading;
		const before = previous.rate.remaining as number;
		const after = reading.rate.remaining as number;
		const resetsAt =
			previous.rate.resetInMs === undefined ? Infinity : previous.at + previous.rate.resetInMs;
		// Resets are often given in whole seconds.
		const isNewWindow = reading.at >= resetsAt - 1_000 && after > before;
		if (isNewWindow || (after > before && resetsAt === Infinity)) return;
		compared++;
		if (after < before) fell++;
	});
	return { compared, fell };
}
