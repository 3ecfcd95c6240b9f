import type { Endpoint } from '../../nodes/ConversationalMessaging/api/endpoint.ts';
import { permissionIn, permissionOf } from '../../nodes/ConversationalMessaging/api/permissions.ts';
import { assumption, fails, holds, cannotTell } from '../assumption.mts';
import { Endpoints } from '../observe.mts';
import { detail } from '../observations.mts';
import { join, say } from '../shown.mts';

const UNLISTED: Endpoint[] = ['GET /channels', 'GET /channels/{id}', 'GET /organization'];

export const unlistedForbidden = assumption({
	id: 'missing-permission',
	question: 'Is a missing permission rejected with 403 and named, also where 403 is not listed?',
	settles: [
		'listChannels: the status 403 is not listed for this route although it needs a permission',
		'getChannel: the status 403 is not listed for this route although it needs a permission',
		'getOrganization: the status 403 is not listed for this route although it needs a permission',
	],
	otherwise: 'The message names the permission from the documented matrix.',
	async observe(service) {
		await service.read('GET /organization');
		await detail(service, 'channels');
	},
	judge(_observed, { readings }) {
		const rejected = readings.filter(({ response }) => response?.status === 403);
		if (rejected.length === 0) return cannotTell(say`no response was a 403`);
		const routes = [...new Set(rejected.map(({ endpoint }) => endpoint))];
		const unnamed = rejected.filter(
			({ response, endpoint }) => permissionIn(response?.text ?? '') !== permissionOf(endpoint),
		);
		const seen = say`403: ${join(routes.map((route) => Endpoints.shown(route)))}`;
		if (unnamed.length > 0) {
			const of = [...new Set(unnamed.map(({ endpoint }) => endpoint))];
			return fails(
				seen,
				say`the permission is not named: ${join(of.map((route) => Endpoints.shown(route)))}`,
			);
		}
		return routes.some((route) => UNLISTED.includes(route))
			? holds(seen)
			: cannotTell(seen, say`the token has the permissions of the routes that do not list 403`);
	},
});
