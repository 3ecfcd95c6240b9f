import type { ServiceClient } from '../../nodes/ConversationalMessaging/api/client.ts';
import { OperationContext } from '../../nodes/ConversationalMessaging/runner/operationContext.ts';

const contextOf = () =>
	new OperationContext(
		{ memo: new Map() } as unknown as ServiceClient,
		{ endpoint: 'GET /tickets', action: 'Get tickets' },
		() => undefined,
	);

test('what failed for one item is done again for the next one', async () => {
	const context = contextOf();
	const failing = async () => await Promise.reject(new Error('no'));
	await expect(context.once('a', failing)).rejects.toThrow('no');
	expect(await context.once('a', async () => 'yes')).toBe('yes');
});
