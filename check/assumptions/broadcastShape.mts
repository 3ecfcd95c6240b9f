import { recordNames } from '../../nodes/ConversationalMessaging/api/recordNames.ts';
import { recordOf } from '../../nodes/ConversationalMessaging/api/record.ts';
import { isRecord } from '../../nodes/ConversationalMessaging/api/response.ts';
import { assumption } from '../assumption.mts';
import { judgeRecord } from '../jobShape.mts';
import { detail, type Detail } from '../observations.mts';
import { isOk } from '../service.mts';
import { say, type Shown } from '../shown.mts';
import type { Names } from '../names.mts';

export const broadcastShape = assumption<Detail>({
	id: 'broadcast-shape',
	question: 'Do the nodes find a broadcast and its ID in the response?',
	settles: [
		'getBroadcast: the names of the statistics',
		"getBroadcast: the name and the type of the broadcast's ID, and whether it is directly in data or under a name",
	],
	otherwise: 'Get and Wait for Completion cannot follow the broadcast.',
	observe: async (service) => await detail(service, 'broadcasts'),
	judge(observed, { names }) {
		const judgement = judgeRecord(observed, 'GET /broadcasts/{id}', names);
		return { ...judgement, seen: [...judgement.seen, ...statistics(observed, names)] };
	},
});

/** Numbers of the record that its row does not have, or that are in an object of their own. */
function statistics({ reading }: Detail, names: Names): Shown[] {
	if (!reading || !isOk(reading)) return [];
	const { record } = recordOf(reading.response?.json, recordNames('GET /broadcasts/{id}'));
	const groups = Object.entries(record).flatMap(([key, value]) => {
		if (!isRecord(value)) return [];
		const numbers = Object.keys(value).filter((name) => typeof value[name] === 'number');
		return numbers.length > 1 ? [say`statistics in ${names.key(key)}: ${names.keys(numbers)}`] : [];
	});
	const own = Object.keys(record).filter(
		(key) => typeof record[key] === 'number' && !/id$|at$/i.test(key),
	);
	return groups.length > 0 || own.length === 0 ? groups : [say`numbers: ${names.keys(own)}`];
}
