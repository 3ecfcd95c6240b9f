import { describeFiles } from './files.mts';

describeFiles('in memory', async ({ id, data }) => {
	expect(id).toBeUndefined();
	return Buffer.from(data, 'base64');
});
