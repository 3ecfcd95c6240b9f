import type { Clock } from './clock.mts';
import type { Route } from './contract.mts';
import { HttpError } from './replies.mts';

/** A token of an organization. `permissions: 'all'` grants every route of the matrix. */
interface Token {
	value: string;
	label: string;
	permissions: 'all' | string[];
	active: boolean;
	/** A token gives access to one organization (API document, section What the service does, rule 1). */
	organization: 'own' | 'other';
	/** Milliseconds since the epoch; if missing, it never expires. */
	expiresAt?: number;
}

/** The tokens that the sandbox starts with. They are valid only for the sandbox. */
export function sandboxTokens(routes: Iterable<Route>, clock: Clock) {
	const permissions = [...new Set([...routes].map((route) => route.permission))];
	const token = (
		label: string,
		granted: Token['permissions'],
		rest: Partial<Token> = {},
	): Token => ({
		value: `wa_pk_sandbox_${label.toLowerCase().replace(/\W+/g, '_')}`,
		label,
		permissions: granted,
		active: true,
		organization: 'own',
		...rest,
	});
	return {
		all: token('all permissions', 'all'),
		readOnly: token(
			'read only',
			permissions.filter((name) => name.endsWith('.view') || name === 'users.manage'),
		),
		withoutSettings: token(
			'without settings.view',
			permissions.filter((name) => name !== 'settings.view'),
		),
		expired: token('expired', 'all', { expiresAt: clock.now() - 86_400_000 }),
		inactive: token('inactive', 'all', { active: false }),
		otherOrganization: token('other organization', 'all', { organization: 'other' }),
	};
}

/**
 * Accepts or rejects a request, in the order of the document's section Authentication: 401 for a missing or unknown
 * token; 403 for an inactive, expired or insufficient one, naming the permission; 500 for a route that is missing in
 * the permission matrix.
 *
 * @param route undefined if no route matches: then only the token is checked
 */
export function authorize(
	authorization: string | undefined,
	tokens: readonly Token[],
	route: Route | undefined,
	now: number,
	routesWithoutPermission: readonly string[],
): Token {
	const value = /^Bearer (.+)$/.exec(authorization ?? '')?.[1];
	if (!value) throw new HttpError(401, 'Missing Authorization header');
	const token = tokens.find((candidate) => candidate.value === value);
	if (!token) throw new HttpError(401, 'Unknown API token');
	if (!token.active) throw new HttpError(403, 'API token is inactive');
	if (token.expiresAt !== undefined && token.expiresAt <= now)
		throw new HttpError(403, 'API token has expired');
	if (!route) return token;
	if (routesWithoutPermission.includes(route.name))
		throw new HttpError(500, 'Route has no entry in the permission matrix');
	if (token.permissions !== 'all' && !token.permissions.includes(route.permission)) {
		throw new HttpError(403, `Missing permission: ${route.permission}`);
	}
	return token;
}
