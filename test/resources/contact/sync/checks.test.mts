import { noticeManyNew } from '../../../../nodes/ConversationalMessaging/resources/contact/sync/checks.ts';
import type { Match } from '../../../../nodes/ConversationalMessaging/resources/contact/sync/match.ts';
import { OperationContext } from '../../../../nodes/ConversationalMessaging/runner/operationContext.ts';
import { serviceOf } from '../../../api/service.mts';
import { contact } from './items.mts';

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
	const context = new OperationContext(client, { endpoint: 'GET /contacts', action: 'Sync' });
	const known: Match = { kind: 'found', contact: contact('a') };
	noticeManyNew(context, [known, ...Array<Match>(count).fill({ kind: 'new' })]);
	expect(notices).toStrictEqual(expected);
});
