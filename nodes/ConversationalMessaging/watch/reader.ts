import type { Connection } from '../api/connection';
import { readPage } from '../api/pages';
import { recordOf } from '../api/record';
import { send } from '../api/send';
import type { Reader, Watched } from './kind';

/** Reads the records of a kind from the service. */
export function readerOf(
	connection: Connection,
	{ kind, narrowing }: Pick<Watched, 'kind' | 'narrowing'>,
): Reader {
	const { rowsName } = kind;
	const names = [
		rowsName.replace(/s$/, ''),
		kind.noun.replace(/ (\w)/g, (_, letter: string) => letter.toUpperCase()),
	];
	const action = `Watch ${kind.noun}s`;
	return {
		async page(query, narrowed = true) {
			const all = narrowed ? { ...narrowing, ...query } : query;
			return await readPage(connection, {
				endpoint: kind.list,
				action,
				rowsName,
				query: all,
			});
		},
		async record(id) {
			const endpoint = kind.detail;
			const call = { endpoint, action, path: { id }, expect: [404] };
			const { status, json } = await send(connection, call);
			return status === 404 ? undefined : recordOf(json, names).record;
		},
	};
}
