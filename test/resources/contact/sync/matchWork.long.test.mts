import type { MatchBy } from '../../../../nodes/ConversationalMessaging/resources/contact/sync/item.ts';
import { matchItems } from '../../../../nodes/ConversationalMessaging/resources/contact/sync/match.ts';
import { contact, item, withFields } from './items.mts';

/** Apart from the other tests of matches, which mutation tests run for every fault. */

const byWaId: MatchBy = { by: 'waId' };
const byField: MatchBy = { by: 'customField', label: 'CRM ID' };

describe('20,000 items and contacts', () => {
	const COUNT = 20_000;
	const waIdOf = (n: number) => String(12_000_000_000 + n);
	const many = <T,>(make: (n: number) => T) => Array.from({ length: COUNT }, (_, n) => make(n));

	const addressOf = (key: string, n: number) => {
		if (key.startsWith('d')) return waIdOf(0);
		return key.startsWith('c') ? waIdOf(n) : key;
	};

	/** Anything that is not linear takes minutes. */
	test.each([
		['are matched', byWaId, (n: number) => waIdOf(n), 'found'],
		['with one key are conflicts', byWaId, () => waIdOf(0), 'conflict'],
		['are matched by a custom field', byField, (n: number) => `c${n}`, 'found'],
		[
			'with one number are conflicts, whatever their keys',
			byField,
			(n: number) => `d${n}`,
			'conflict',
		],
	] as [string, MatchBy, (n: number) => string, string][])(
		'%s',
		async (_name, matchBy, keyOf, kind) => {
			const known = many((n) =>
				contact(`id ${n}`, { waId: waIdOf(n), ...withFields({ 'CRM ID': `c${n}` }) }),
			);
			const items = many((n) =>
				item(keyOf(n), {
					index: n,
					address: { waId: addressOf(keyOf(n), n) },
				}),
			);
			const matches = await matchItems(items, known, matchBy);
			expect([...matches.values()].filter((match) => match.kind === kind)).toHaveLength(COUNT);
		},
		120_000,
	);
});
