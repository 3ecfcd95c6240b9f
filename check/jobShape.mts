import { recordOf } from '../nodes/ConversationalMessaging/api/record.ts';
import { recordNames } from '../nodes/ConversationalMessaging/api/recordNames.ts';
import type { Endpoint } from '../nodes/ConversationalMessaging/api/endpoint.ts';
import { failsAt, holds, cannotTell, type Judgement } from './assumption.mts';
import type { Names } from './names.mts';
import { typesAt, valueAt, whyNot } from './observe.mts';
import type { Detail } from './observations.mts';
import { isOk } from './service.mts';
import { say } from './shown.mts';

/** Whether the nodes find the record of a response and its ID. */
export function judgeRecord(
	{ id, reading, list }: Detail,
	endpoint: Endpoint,
	names: Names,
): Judgement {
	if (!list.path) return cannotTell(whyNot(list.reading));
	if (!reading)
		return list.rows.length === 0
			? cannotTell(say`the list is empty`)
			: failsAt([endpoint], say`the rows of the list have no ID`);
	if (!isOk(reading))
		return reading.response?.status === 404
			? failsAt([endpoint], say`the ID of the list is not found (404)`)
			: cannotTell(whyNot(reading));
	const json = reading.response?.json;
	const found = recordOf(json, recordNames(endpoint));
	const where =
		found.key === undefined ? say`directly in data` : say`under ${names.key(found.key)}`;
	if (found.id !== id) return failsAt([endpoint], where, say`its ID is not found`);
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
