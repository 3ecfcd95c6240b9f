import { isRecord } from '../../nodes/ConversationalMessaging/api/response.ts';
import { assumption, fails, holds, cannotTell } from '../assumption.mts';
import { allPaths, typesAt, whyNot } from '../observe.mts';
import { join, say } from '../shown.mts';
import type { IDataObject } from 'n8n-workflow';

export const segmentRules = assumption({
	id: 'segment-rules',
	question:
		'Does the list of segments show the rules of a dynamic segment as an object, as they are sent?',
	settles: ['createSegment: the structure of the rules'],
	otherwise: 'Segment → Create sends the rules as you enter them, as JSON.',
	observe: async (service) => await service.largePage('segments'),
	judge({ path, rows, reading }, { names }) {
		if (!path) return cannotTell(whyNot(reading));
		const dynamic = rows.filter(
			({ isDynamic, rules }) => isDynamic === true || (rules !== null && rules !== undefined),
		);
		const rules = dynamic
			.map((row) => row.rules)
			.filter((entry) => entry !== null && entry !== undefined);
		if (rules.length === 0) return cannotTell(say`no dynamic segment shows its rules`);
		const records = rules.filter((entry): entry is IDataObject => isRecord(entry));
		if (records.length < rules.length) return fails(say`${typesAt(dynamic, ['rules'])}`);
		const keys = allPaths(records, 3).map(
			(keyPath) => say`${names.path(keyPath)} (${typesAt(records, keyPath)})`,
		);
		return holds(join(keys));
	},
});
