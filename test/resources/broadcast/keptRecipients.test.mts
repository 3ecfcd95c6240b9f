/** Who is left of the recipients of a broadcast: test/engine/recipientTables has the rules for everything but this. */
import { contactKey } from '../../../nodes/ConversationalMessaging/parameters/address.ts';
import { keptRecipients } from '../../../nodes/ConversationalMessaging/resources/broadcast/audience/keptRecipients.ts';

test('a recipient with several addresses is left out if one of them is excluded', async () => {
	const both = ['US.13491208655302741918', '+12025550100'];
	const keptWithout = async (key: string) =>
		(await keptRecipients([both], (all) => all, [{ name: '"A"', keys: new Set([key]) }])).kept;
	for (const address of ['12025550100', 'us.13491208655302741918'])
		expect(await keptWithout(contactKey(address))).toStrictEqual([]);
	expect(await keptWithout('13491208655302741918')).toStrictEqual([both]);
});
