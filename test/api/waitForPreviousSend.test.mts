import { clock } from '../../nodes/ConversationalMessaging/api/base/clock.ts';
import { waitForPreviousSend } from '../../nodes/ConversationalMessaging/api/rate/waitForPreviousSend.ts';

const real = { ...clock };
afterEach(() => Object.assign(clock, real));

const settled = async () => await new Promise((resolve) => setImmediate(resolve));

test('requests that may be sent at the same moment are sent one after another, as soon as n8n is done with the one before', async () => {
	const yields: (() => void)[] = [];
	clock.yieldToOthers = async () => await new Promise<void>((resolve) => yields.push(resolve));
	const sent: number[] = [];
	for (const request of [1, 2, 3]) void waitForPreviousSend().then(() => sent.push(request));
	await settled();
	expect(sent).toStrictEqual([1]);
	yields.shift()!();
	await settled();
	expect(sent).toStrictEqual([1, 2]);
	yields.shift()!();
	await settled();
	expect(sent).toStrictEqual([1, 2, 3]);
	yields.shift()!();
	await settled();
	// Later, no request has to wait for those.
	await waitForPreviousSend();
	yields.shift()!();
	expect(yields).toStrictEqual([]);
});
