import { formOf, useService } from '../support/sandboxClient.mts';
import { sha256 } from '../support/sha256.mts';

/** Broadcasts: their audiences, their settings and their progress. */

const service = useService();

const campaign = { name: 'B', templateName: 'spring_sale', templateLanguage: 'en_US' };
const text = (value: string) => ({ type: 'text', text: value });
const templateComponents = [
	{ type: 'header', parameters: [{ type: 'image', image: { id: 'm1' } }] },
	{ type: 'body', parameters: [text('Ann'), text('20%')] },
	{ type: 'button', sub_type: 'url', index: '0', parameters: [text('spring')] },
];
const phones = ['12015550100', '12025550100', '12035550100'];
const toList = { ...campaign, templateComponents, recipients: phones };

const columns = 'phone,header_image,1,2,button_1';
const row = '12015550100,m1,Änn,20%,spring';
const file = `${columns}\n${row}\n`;

const post = async (body: object) => await service.post('/broadcasts', body);
/** The campaign as a form. */
const upload = async (csv: string | undefined, fields: Record<string, string>) =>
	await post(formOf({ ...campaign, ...fields }, csv));
const csv = { audienceMode: 'csv' };
const inFuture = (ms: number) => new Date(service.clock.now() + ms).toISOString();
const segmentOf = (name: string, members: string[]) => {
	const { segments } = service.world;
	const sample = segments.find(({ isDynamic }) => !isDynamic)!;
	return segments.add({ ...sample, id: name, name, members: new Set(members) }).id;
};

describe('the progress of a broadcast', () => {
	const statusOf = async (id: string) => (await service.get(`/broadcasts/${id}`)).data.status;

	test.each<{ end: string; recipients: string[]; sent: number; failed: number }>([
		{ end: 'COMPLETED', recipients: phones, sent: 3, failed: 0 },
		{ end: 'PARTIAL', recipients: [...phones, '1'], sent: 3, failed: 1 },
		{ end: 'FAILED', recipients: ['1', '2'], sent: 0, failed: 2 },
	])('QUEUED, PROCESSING, $end, with statistics', async ({ end, recipients, sent, failed }) => {
		const { id, status } = (await post({ ...toList, recipients })).data;
		expect(status).toBe('QUEUED');
		service.clock.advance(1_999);
		expect(await statusOf(id as string)).toBe('QUEUED');
		service.clock.advance(1);
		expect(await statusOf(id as string)).toBe('PROCESSING');
		const total = sent + failed;
		// 20 ms for each recipient.
		service.clock.advance(20 * total - 1);
		const { data } = await service.get(`/broadcasts/${id}`);
		expect(data.status).toBe('PROCESSING');
		expect(data.statistics).toMatchObject({ total, pending: 1 });
		service.clock.advance(1);
		expect((await service.get(`/broadcasts/${id}`)).data).toMatchObject({
			status: end,
			statistics: { total, sent, failed, pending: 0 },
		});
	});

	test('SCHEDULED until its time', async () => {
		const schedule = { scheduleType: 'schedule', sendAt: inFuture(3_600_000) };
		const { id, scheduledAt } = (await post({ ...toList, ...schedule })).data;
		expect(scheduledAt).toBe(schedule.sendAt);
		service.clock.advance(3_599_999);
		expect(await statusOf(id as string)).toBe('SCHEDULED');
		service.clock.advance(1);
		expect(await statusOf(id as string)).toBe('QUEUED');
	});

	test('the list is filtered by each status', async () => {
		const { world } = service;
		const sample = world.broadcasts.find(() => true)!;
		const many = Array.from({ length: 10 }, (_, n) => `1202555${4000 + n}`);
		const long = service.clock.now() - 60_000;
		const made: Record<string, Partial<typeof sample>> = {
			SCHEDULED: { startsAt: service.clock.now() + 1 },
			QUEUED: { startsAt: service.clock.now() },
			PROCESSING: { startsAt: service.clock.now() - 2_100 },
			COMPLETED: { startsAt: long },
			PARTIAL: { startsAt: long, recipients: ['1', ...many] },
			FAILED: { startsAt: long, recipients: ['1', '2'] },
			CANCELLED: { startsAt: long, cancelled: true },
		};
		const channelId = 'elsewhere';
		for (const [id, fields] of Object.entries(made))
			world.broadcasts.add({ ...sample, id, channelId, recipients: many, ...fields });
		for (const status of Object.keys(made)) {
			const { data } = await service.get('/broadcasts', { status, channelId });
			expect(data).toMatchObject([{ id: status, status }]);
		}
		for (const id of Object.keys(made)) world.broadcasts.delete(id);
	});
});

describe('a broadcast', () => {
	test('is sent at once, on the default channel, to a list, unless it says otherwise', async () => {
		const { world } = service;
		const { data } = await post(toList);
		expect(data).toStrictEqual({
			id: expect.any(String),
			...campaign,
			status: 'QUEUED',
			channelId: world.channels.find(({ name }) => name === 'Customer Care')!.id,
			templateId: world.templates.find(({ name }) => name === 'spring_sale')!.id,
			templateComponents,
			audienceMode: 'list',
			recipientCount: 3,
			scheduledAt: null,
			createdAt: inFuture(0),
		});
	});

	test('has its settings in its details', async () => {
		const settings = {
			channelId: service.world.channels.find(({ name }) => name === 'Marketing')!.id,
			templateCategory: 'MARKETING',
			apiType: 'marketing_messages',
			ttlSeconds: 86_400,
			messageActivitySharing: true,
		};
		const { data } = await post({ ...toList, ...settings });
		expect(data).toMatchObject(settings);
		const statistics = { total: 3, sent: 0, delivered: 0, read: 0, failed: 0, pending: 3 };
		expect((await service.get(`/broadcasts/${data.id}`)).data).toStrictEqual({
			...data,
			statistics,
		});
	});

	test('is sent to the WhatsApp contacts of a segment only', async () => {
		const { world } = service;
		const segment = world.segments.find(({ name }) => name === 'Returning customers')!;
		const numbers = [...segment.members].filter((id) => world.contacts.get(id)!.waId !== null);
		expect(numbers.length).toBeLessThan(segment.members.size);
		const { recipients: _list, ...others } = toList;
		const { data } = await post({ ...others, audienceMode: 'segment', segmentId: segment.id });
		expect([data.recipientCount, data.audienceMode]).toStrictEqual([numbers.length, 'segment']);
	});

	const withoutNumbers = () => {
		const { id } = service.world.contacts.find(({ waId }) => waId === null)!;
		return segmentOf('no-numbers', [id]);
	};
	test.each<[string, () => object, number]>([
		['an unknown template', () => ({ templateName: 'none' }), 404],
		['a template ID that is unknown', () => ({ templateId: 'x' }), 404],
		['a template ID of another name', () => ({ templateId: '1000000000000001' }), 400],
		['an unknown segment', () => ({ audienceMode: 'segment', segmentId: 'x' }), 404],
		[
			'a segment without numbers',
			() => ({ audienceMode: 'segment', segmentId: withoutNumbers() }),
			400,
		],
		['an unknown channel', () => ({ channelId: 'x' }), 404],
		['the present time', () => ({ scheduleType: 'schedule', sendAt: inFuture(0) }), 400],
	])('with %s is rejected, and changes nothing', async (_name, fields, status) => {
		const { recipients, ...others } = toList;
		const given = fields();
		const sent = { ...others, ...('segmentId' in given ? {} : { recipients }), ...given };
		expect((await service.rejected('post', '/broadcasts', sent))[0]).toBe(status);
	});

	test('with a template ID needs the name and language of that template', async () => {
		const { id } = service.world.templates.find(({ name }) => name === 'spring_sale')!;
		const status = async (fields: object) =>
			(await post({ ...toList, templateId: id, ...fields })).status;
		expect(await status({})).toBe(200);
		expect(await status({ templateName: 'welcome' })).toBe(400);
		expect(await status({ templateLanguage: 'de' })).toBe(400);
	});
});

describe('a broadcast as a form', () => {
	test('has fields in the types of the document', async () => {
		const api = { ...csv, apiType: 'marketing_messages' };
		for (const isShared of [true, false]) {
			const fields = { ttlSeconds: '43200', messageActivitySharing: String(isShared) };
			const { data } = await upload(file, { ...api, ...fields });
			expect(data).toMatchObject({ ttlSeconds: 43_200, messageActivitySharing: isShared });
		}
		const recipients = JSON.stringify(phones);
		const lists = { recipients, templateComponents: JSON.stringify(templateComponents) };
		expect((await upload(undefined, lists)).data).toMatchObject({
			recipientCount: 3,
			templateComponents,
		});
		const invalid: Record<string, string>[] = [
			...['yes', 'TRUE', '1', ''].map((value) => ({ messageActivitySharing: value })),
			...['43199', '12h', ''].map((value) => ({ ttlSeconds: value })),
			{ templateCategory: 'OTHER' },
			{ other: 'x' },
		];
		for (const field of invalid)
			expect([field, (await upload(file, { ...api, ...field })).status]).toStrictEqual([
				field,
				400,
			]);
		const { error } = await upload(undefined, { ...lists, templateComponents: '[' });
		expect(error).toBe('templateComponents is not valid JSON');
	});

	test('has one file, and each field once', async () => {
		const { size } = service.world.broadcasts;
		const form = formOf({ ...campaign, ...csv }, file);
		form.append('name', 'C');
		expect((await post(form)).error).toBe('name is given twice');
		const twoFiles = formOf({ ...campaign, ...csv }, file);
		twoFiles.append('other', new Blob([file]), 'other.csv');
		expect((await post(twoFiles)).error).toBe('An upload has one file');
		expect(service.world.broadcasts.size).toBe(size);
	});

	test('has a file, whatever the name of its part', async () => {
		const form = formOf({ ...campaign, ...csv });
		form.append('whatever', new Blob([file], { type: 'text/x-list' }), 'people.csv');
		expect((await post(form)).data.recipientCount).toBe(1);
		expect(service.sandbox.requests.at(-1)).toMatchObject({
			body: { ...campaign, ...csv },
			file: {
				partName: 'whatever',
				name: 'people.csv',
				mimeType: 'text/x-list',
				sha256: sha256(file),
			},
		});
	});
});

describe('the audience of a broadcast', () => {
	test('in a file needs all columns of its template, in any order, and can have others', async () => {
		const { name: _name, ...template } = campaign;
		const { data } = await service.get('/broadcasts/csv-template', template);
		expect(data).toBe(`${columns}\r\n`);
		expect((await upload(file, csv)).status).toBe(200);
		const reversed = (line: string) => line.split(',').toReversed().join(',');
		expect((await upload(`x,${reversed(columns)}\ny,${reversed(row)}\n`, csv)).status).toBe(200);
		for (const missing of columns.split(','))
			expect((await upload(file.replace(missing, 'x'), csv)).status).toBe(400);
	});

	test.each([
		['without rows', `${columns}\n`],
		['without a number in a row', `${file},m1,Ann,20%,spring\n`],
		['with words instead of a number', `${columns}\nAnn,m1,Ann,20%,spring\n`],
		['that is empty', ''],
	])('is no file %s', async (_name, content) => {
		expect((await upload(content, csv)).status).toBe(400);
	});

	test('is described in one way only', async () => {
		const recipients = '["12015550100"]';
		const segment = { audienceMode: 'segment', segmentId: 'x' };
		const uploads: [string | undefined, Record<string, string>, string][] = [
			[undefined, csv, 'A CSV file is required'],
			[file, { audienceMode: 'list', recipients }, 'A file is not possible'],
			[file, { recipients }, 'A file is not possible'],
			[file, segment, 'A file is not possible'],
			[file, { ...csv, recipients }, 'recipients is not possible'],
			[file, { ...csv, segmentId: 'x' }, 'segmentId is not possible'],
			[file, { ...csv, templateComponents: '[]' }, 'templateComponents is not possible'],
		];
		for (const [content, fields, reason] of uploads)
			expect((await upload(content, fields)).error).toContain(reason);
		for (const [fields, reason] of [
			[csv, 'A CSV file is required'],
			[{ recipients: phones, segmentId: 'x' }, 'segmentId is not possible'],
			[{ ...segment, recipients: phones }, 'recipients is not possible'],
		] as const)
			expect((await post({ ...campaign, ...fields })).error).toContain(reason);
	});

	test.each([
		{ templateName: 'welcome', templateLanguage: 'fr' },
		{ templateName: 'none', templateLanguage: 'de' },
	])('has no file for an unknown template: %j', async (params) => {
		expect((await service.get('/broadcasts/csv-template', params)).status).toBe(404);
	});
});
