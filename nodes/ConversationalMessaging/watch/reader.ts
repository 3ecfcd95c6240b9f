import type { IDataObject } from 'n8n-workflow';
import { isRecord, payloadOf } from '../api/answer';
import type { Connection } from '../api/connection';
import { idOf, readPage } from '../api/pages';
import { send } from '../api/send';
import type { Kind, Reader, Watched } from './kind';

/** Reads the records of a kind from the service. */
export function readerOf(
	connection: Connection,
	{ kind, narrowing }: Pick<Watched, 'kind' | 'narrowing'>,
): Reader {
	const { rowsName } = kind;
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
			return status === 404 ? undefined : recordIn(json, kind);
		},
	};
}

/** The record of an answer: bare in `data`, or under its name there. */
function recordIn(json: unknown, kind: Kind): IDataObject {
	const payload = payloadOf(json);
	if (!isRecord(payload)) return {};
	if (idOf(payload) !== undefined) return payload;
	const wrapped = [kind.noun, kind.rowsName.replace(/s$/, ''), 'job']
		.map((name) => payload[name])
		.find(isRecord);
	return wrapped ?? payload;
}
