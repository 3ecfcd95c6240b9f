/** Who is left of the recipients of a broadcast: every contact once, and nobody who is excluded. */
import fc from 'fast-check';
import { contactKey } from '../../../nodes/ConversationalMessaging/parameters/address.ts';
import { keptRecipients } from '../../../nodes/ConversationalMessaging/resources/broadcast/audience/keptRecipients.ts';

const kept = (recipients: string[], excluded: string[], keepsRepeated = false) =>
	keptRecipients(
		recipients,
		(recipient) => [recipient],
		new Set(excluded.map(contactKey)),
		keepsRepeated,
	);

test('every contact is kept once, as its first address, and no excluded one', () => {
	const recipients = ['12025550100', '+1 202 555-0100', '5215512345678', '525512345678', 'US.7'];
	expect(kept(recipients, ['US.7'])).toStrictEqual({
		kept: ['12025550100', '5215512345678'],
		leftOut: 3,
		notes: ['Left out 2 repeated recipients', 'Left out 1 member of Exclude Segment'],
	});
});

test('repeated recipients can be kept; excluded ones never are', () => {
	expect(kept(['12025550100', '12025550100', '12025550101'], ['12025550101'], true)).toStrictEqual({
		kept: ['12025550100', '12025550100'],
		leftOut: 1,
		notes: ['Left out 1 member of Exclude Segment'],
	});
});

test('nobody is lost', () => {
	const address = fc.constantFrom('12025550100', '0012025550100', 'CO.12025550100', '12025550101');
	fc.assert(
		fc.property(fc.array(address), fc.array(address), fc.boolean(), (list, excluded, keeps) => {
			const result = kept(list, excluded, keeps);
			expect(result.kept.length + result.leftOut).toBe(list.length);
			const keys = new Set(excluded.map(contactKey));
			const expected = list.map(contactKey).filter((key) => !keys.has(key));
			const found = result.kept.map(contactKey);
			expect(found).toStrictEqual(keeps ? expected : [...new Set(expected)]);
		}),
	);
});

test('a recipient with several addresses is left out if one of them is excluded', () => {
	const both = ['US.13491208655302741918', '+12025550100'];
	for (const address of ['12025550100', 'us.13491208655302741918'])
		expect(keptRecipients([both], (all) => all, new Set([contactKey(address)])).kept).toStrictEqual(
			[],
		);
	expect(
		keptRecipients([both], (all) => all, new Set(['13491208655302741918'])).kept,
	).toStrictEqual([both]);
});
