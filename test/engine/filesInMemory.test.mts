import { byId, openHarness } from './harness.mts';
import { describeFiles } from './files.mts';

describeFiles('in memory', async ({ id, data }) => {
	expect(id).toBeUndefined();
	return Buffer.from(data, 'base64');
});

test('a file in memory cannot be sent as media, because no link leads to it', async () => {
	const harness = await openHarness({ rateLimit: { requests: 0 } });
	const message = { resource: 'message', operation: 'send', to: byId('12025550100') };
	const media = { type: 'image', mediaSource: 'binary' };
	const { error } = await harness.run({ ...message, ...media }, { file: 'image' });
	expect(error?.message).toBe(
		'The service cannot download the file, because n8n keeps it in memory',
	);
	expect(error?.description).toMatch(/N8N_DEFAULT_BINARY_DATA_MODE/);
	expect(harness.sandbox.requests).toEqual([]);
	await harness.close();
});
