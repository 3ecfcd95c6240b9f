import { noticeManyNew } from '../../../../nodes/ConversationalMessaging/resources/contact/sync/summary.ts';
import type { Decision } from '../../../../nodes/ConversationalMessaging/resources/contact/sync/decide.ts';
import { serviceOf } from '../../../support/service.mts';
import { contextOf } from '../../../support/runOne.mts';
import { useFakeTime } from '../../../support/time.mts';

useFakeTime();

test.each<[count: number, notices: string[]]>([
	[500, []],
	[
		501,
		[
			'501 contacts are new, and Sync creates them one by one. Before the next sync with this many, create them with Contact Import → Start.',
		],
	],
])('with %i new contacts, a hint recommends an import: %j', (count, expected) => {
	const { client, notices } = serviceOf(() => ({}));
	const context = contextOf(client, { endpoint: 'GET /contacts', action: 'Sync' });
	const created: Decision = {
		outcome: { result: 'created', changes: [] },
		action: { kind: 'create', body: {}, rest: [] },
	};
	const unchanged: Decision = { outcome: { result: 'unchanged', changes: [] } };
	noticeManyNew(context, [unchanged, ...Array<Decision>(count).fill(created)]);
	expect(notices).toStrictEqual(expected);
});
