/** Who is left of the recipients of a broadcast: test/engine/recipientTables has the rules for everything but this. */
import { contactKey } from '../../../nodes/ConversationalMessaging/parameters/address.ts';
import { keptRecipients } from '../../../nodes/ConversationalMessaging/resources/broadcast/audience/keptRecipients.ts';

test('a recipient with several addresses is left out if one of them is excluded', () => {
	const both = ['US.13491208655302741918', '+12025550100'];
	for (const address of ['12025550100', 'us.13491208655302741918'])
		expect(
			keptRecipients([both], (all) => all, [{ name: '"A"', keys: new Set([contactKey(address)]) }])
				.kept,
		).toStrictEqual([]);
	expect(
		keptRecipients([both], (all) => all, [{ name: '"A"', keys: new Set(['13491208655302741918']) }])
			.kept,
	).toStrictEqual([both]);
});
