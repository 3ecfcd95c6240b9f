import { byId } from './harness.mts';
import { describeFiles } from './files.mts';
import { SharedHarness } from './sharedHarness.mts';

const service = new SharedHarness({ contacts: 30, tickets: 1 });

const contentOf = async ({ id, data }: { id?: string; data: string }) => {
	expect(id).toBeUndefined();
	return await Promise.resolve(Buffer.from(data, 'base64'));
};
describeFiles('in memory', service, contentOf, ['file', 'items']);

test('a file in memory cannot be sent as media, because no link leads to it', async () => {
	const message = { resource: 'message', operation: 'send', to: byId('12025550100') };
	const media = { type: 'image', mediaSource: 'binary' };
	const IMAGE = { bytes: Buffer.from('image'), fileName: 'a.png', mimeType: 'image/png' };
	expect(await service.error({ ...message, ...media }, { file: IMAGE })).toMatchObject({
		message: 'The service cannot download the file, because n8n keeps it in memory',
		description: expect.stringMatching(/N8N_DEFAULT_BINARY_DATA_MODE/),
	});
	expect(service.requests).toStrictEqual([]);
});
