import { assumption, fails, holds, cannotTell } from '../assumption.mts';
import { Endpoints, groupBy } from '../observe.mts';
import { rateHeadersIn } from '../rateHeaderForms.mts';
import { count, join, say } from '../shown.mts';

export const rateLimitRoutes = assumption({
	id: 'rate-limit-routes',
	question: 'Do the responses of all routes that were read have rate-limit headers?',
	settles: [],
	otherwise:
		'A response without these headers changes nothing that the nodes know: what another route reported stays in force until its window ends.',
	async observe(service) {
		await service.largePage('tickets');
	},
	judge(_observed, { readings }) {
		const answered = readings.filter(({ response }) => response);
		if (answered.length === 0) return cannotTell(say`no route responded`);
		const routes = [...groupBy(answered, ({ endpoint }) => endpoint)];
		const lacking = routes.filter(([, own]) =>
			own.every(({ response }) => rateHeadersIn(response?.headers ?? {}).length === 0),
		);
		if (lacking.length === 0) return holds(say`all of ${count(routes.length, 'route')}`);
		if (lacking.length === routes.length)
			return fails(say`none of ${count(routes.length, 'route')}`);
		return fails(
			say`${routes.length - lacking.length} of ${count(routes.length, 'route')}; not: ${join(lacking.map(([endpoint]) => Endpoints.shown(endpoint)))}`,
		);
	},
});
