/** What a broadcast must not do, as it is read from the options. */
import {
	guardFields,
	readGuards,
} from '../../../nodes/ConversationalMessaging/resources/broadcast/guards.ts';
import { field, parametersOf } from '../../parameters/parameters.mts';

const FIELDS = [field('options', { type: 'collection', options: Object.values(guardFields) })];

const guardsOf = (options: Record<string, unknown>) =>
	readGuards(parametersOf(FIELDS, { options }), {});

const NONE = {
	maxRecipients: undefined,
	skipRepeated: false,
	allowsIncompleteExclusion: false,
	excludeSegmentId: undefined,
	quietHours: undefined,
	timeZone: 'Europe/Berlin',
	any: false,
};

test.each<[options: Record<string, unknown>, guards: object]>([
	[{}, {}],
	// Nobody may receive it.
	[{ maxRecipients: 0 }, { maxRecipients: 0, any: true }],
	[{ skipRepeatedNumbers: true }, { skipRepeated: true, any: true }],
	[{ skipRepeatedNumbers: false }, {}],
	[
		{ excludeSegmentId: { __rl: true, mode: 'id', value: 's1' } },
		{ excludeSegmentId: 's1', any: true },
	],
	[{ quietHours: '21:00-08:00' }, { quietHours: { from: 21 * 60, until: 8 * 60 }, any: true }],
	// Neither of them changes anything alone.
	[{ allowIncompleteExclusion: true }, { allowsIncompleteExclusion: true }],
	[{ recipientTimeZone: 'Asia/Tokyo' }, { timeZone: 'Asia/Tokyo' }],
])('the guards of %j', (options, guards) => {
	expect(guardsOf(options)).toStrictEqual({ ...NONE, ...guards });
});

test('an option that a user adds takes effect as it is', () => {
	const { maxRecipients, quietHours, skipRepeated } = guardFields;
	for (const { name, default: value } of [maxRecipients, quietHours, skipRepeated])
		expect(guardsOf({ [name]: value })).toMatchObject({ any: true });
});
