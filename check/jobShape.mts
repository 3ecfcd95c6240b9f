import { recordOf } from '../nodes/ConversationalMessaging/api/record.ts';
import { isRecord, payloadOf } from '../nodes/ConversationalMessaging/api/response.ts';
import type { Endpoint } from '../nodes/ConversationalMessaging/api/endpoint.ts';
import { breaking, holds, unknown, type Judgement } from './assumption.mts';
import type { Names } from './names.mts';
import { typesAt, valueAt, whyNot } from './observe.mts';
import type { Detail } from './observations.mts';
import { isOk } from './service.mts';
import { say } from './shown.mts';

/** Whether the nodes find the record of a response and its ID. @param names what the service may call its kind */
export function judgeRecord(
	{ id, reading, list }: Detail,
	kinds: readonly string[],
	endpoint: Endpoint,
	names: Names,
): Judgement {
	if (!list.path) return unknown(whyNot(list.reading));
	if (!reading)
		return list.rows.length === 0
			? unknown(say`the list is empty`)
			: breaking([endpoint], say`the rows of the list have no ID`);
	if (!isOk(reading))
		return reading.response?.status === 404
			? breaking([endpoint], say`the ID of the list is not found (404)`)
			: unknown(whyNot(reading));
	const json = reading.response?.json;
	const found = recordOf(json, kinds);
	const payload = payloadOf(json);
	const place = isRecord(payload) ? placeOf(payload, found.record) : undefined;
	const where =
		place === undefined || place.length === 0
			? say`directly in data`
			: say`under ${names.path(place)}`;
	if (found.id !== id) return breaking([endpoint], where, say`its ID is not found`);
	const key = Object.keys(found.record).find(
		(name) => String(valueAt(found.record, [name])) === id,
	);
	return holds(
		where,
		key === undefined
			? say`with its ID`
			: say`its ID is ${names.key(key)} (${typesAt([found.record], [key])})`,
	);
}

/** Keys from the payload to a record in it. */
function placeOf(payload: object, record: unknown, depth = 3): string[] | undefined {
	if (payload === record) return [];
	if (depth === 0) return undefined;
	for (const [key, value] of Object.entries(payload)) {
		const inner: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
		const place = isRecord(inner) ? placeOf(inner, record, depth - 1) : undefined;
		if (place) return [key, ...place];
	}
	return undefined;
}
