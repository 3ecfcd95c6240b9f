import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { byId, openHarness, type Harness } from './harness.mts';

let harness: Harness;
beforeEach(async () => {
	harness = await openHarness({ contacts: 1300, rateLimit: { requests: 0 } });
});
afterEach(async () => await harness.close());

const world = () => harness.sandbox.world;
const sent = () => harness.sandbox.requests.at(-1)!;

async function ok(parameters: INodeParameters, items?: IDataObject[]): Promise<IDataObject[]> {
	const outcome = await harness.run(parameters, { items });
	expect(outcome.error).toBeUndefined();
	return outcome.json;
}
const error = async (parameters: INodeParameters) => (await harness.run(parameters)).error!;

describe('Contact Field', () => {
	const field = (operation: string, more: INodeParameters) => ({
		resource: 'contactField',
		operation,
		contactId: byId(contact().id),
		...more,
	});
	const contact = () => world().contacts.find(({ waId }) => waId === '12015550100')!;

	test('a contact field is added, updated and deleted', async () => {
		const [added] = await ok(field('add', { label: 'tier', value: 'gold' }));
		expect(added).toMatchObject({ label: 'tier', value: 'gold' });
		const fieldId = added!.id as string;
		await ok(field('update', { fieldId, updateFields: { value: 'silver' } }));
		expect(sent().body).toEqual({ value: 'silver' });
		expect(await ok(field('delete', { fieldId }))).toEqual([{ deleted: true }]);
		expect((await error(field('delete', { fieldId }))).httpCode).toBe('404');
		expect((await error(field('update', { fieldId, updateFields: {} }))).message).toBe(
			'Nothing to update',
		);
	});

	test('the value of a contact field is sent as it is, with spaces and line breaks', async () => {
		const value = ' Oslo \n';
		const [added] = await ok(field('add', { label: 'city', value }));
		expect(sent().body).toEqual({ label: 'city', value });
		const other = '  Rome';
		await ok(field('update', { fieldId: added!.id as string, updateFields: { value: other } }));
		expect(sent().body).toEqual({ value: other });
	});

	test('a contact field is set whether or not it exists, for a contact by phone number too', async () => {
		const set = (value: string) => ({
			...field('set', { label: 'tier', value }),
			contactId: byId('12015550100'),
		});
		await ok(set('gold'));
		await ok(set('silver'));
		expect(contact().customFields.filter(({ label }) => label === 'tier')).toEqual([
			{ id: expect.any(String), label: 'tier', value: 'silver' },
		]);
		expect(harness.sandbox.requests.map(({ method }) => method)).toEqual([
			'GET',
			'POST',
			'GET',
			'PATCH',
		]);
	});
});

describe('Segment', () => {
	const segment = (operation: string, more: INodeParameters = {}) => ({
		resource: 'segment',
		operation,
		...more,
	});
	const named = (name: string) => world().segments.find((row) => row.name === name)!;

	test('a segment is created, static or with rules, and deleted', async () => {
		await ok(segment('create', { name: 'VIP', additionalFields: { description: 'Best' } }));
		expect(sent().body).toEqual({ name: 'VIP', description: 'Best' });
		await ok(
			segment('create', { name: 'Insta', isDynamic: true, rules: '{ "channel": "INSTAGRAM" }' }),
		);
		expect(sent().body).toEqual({
			name: 'Insta',
			isDynamic: true,
			rules: { channel: 'INSTAGRAM' },
		});
		// Rules that were entered before Dynamic was turned off.
		await ok(segment('create', { name: 'Off', isDynamic: false, rules: '{ "a": 1 }' }));
		expect(sent().body).toEqual({ name: 'Off' });
		expect((await error(segment('create', { name: 'VIP' }))).description).toMatch(/already exists/);
		expect(
			(await error(segment('create', { name: 'X', isDynamic: true, rules: '[]' }))).message,
		).toBe('Rules expects a JSON object, but got "[]"');
		expect(await ok(segment('delete', { segmentId: byId(named('VIP').id) }))).toEqual([
			{ deleted: true },
		]);
		expect(await ok(segment('getAll', { returnAll: true }))).toHaveLength(5);
	});

	test('a segment is returned with all its members, or with as many as the limit', async () => {
		const { id, name, members } = named('Newsletter');
		const [all] = await ok(segment('get', { segmentId: byId(id), returnAll: true }));
		expect(all).toMatchObject({ id, name, memberCount: members.size });
		expect(new Set((all!.members as IDataObject[]).map((row) => row.id))).toEqual(members);
		const [some] = await ok(segment('get', { segmentId: byId(id), limit: 210 }));
		expect(some!.members).toHaveLength(210);
		expect((await error(segment('get', { segmentId: byId('x') }))).httpCode).toBe('404');
	});

	test('contacts of all items are added in few requests, and each result is paired with its items', async () => {
		const [first, second] = [named('Newsletter'), named('Returning customers')];
		first.members.clear();
		second.members.clear();
		const contacts = world()
			.contacts.filter(() => true)
			.map(({ id }) => id);
		const items = contacts.map((contact, n) => ({
			contact,
			segment: n % 10 === 9 ? second.id : first.id,
		}));
		const { items: output } = await harness.run(
			segment('addContacts', {
				segmentId: byId('={{ $json.segment }}'),
				contactId: byId('={{ $json.contact }}'),
			}),
			{ items },
		);
		expect([first.members.size, second.members.size]).toEqual([1173, 130]);
		expect(harness.sandbox.requests).toHaveLength(4);
		expect(output.map(({ json }) => json.memberCount)).toEqual([1173, 130]);
		const origins = output.map(({ pairedItem }) =>
			(pairedItem as { item: number }[]).map(({ item }) => item),
		);
		expect(origins[1]).toEqual(
			items.flatMap(({ segment: id }, n) => (id === second.id ? [n] : [])),
		);
		expect(origins.flat()).toHaveLength(1303);
	});

	test('contacts are added one by one if items are not combined, and a list from an expression is removed at once', async () => {
		const { id, members } = named('Returning customers');
		members.clear();
		const contacts = world()
			.contacts.filter(() => true)
			.slice(0, 3)
			.map((row) => row.id);
		const one = segment('addContacts', {
			combine: false,
			segmentId: byId(id),
			contactId: byId('={{ $json.contact }}'),
		});
		expect(
			await ok(
				one,
				contacts.map((contact) => ({ contact })),
			),
		).toHaveLength(3);
		expect(harness.sandbox.requests).toHaveLength(3);
		await ok(
			segment('removeContacts', { segmentId: byId(id), contactId: byId('={{ $json.all }}') }),
			[{ all: contacts }],
		);
		expect(sent().body).toEqual({ action: 'remove', contactIds: contacts });
		expect(members.size).toBe(0);
	});

	test('a contact that several items have is added once', async () => {
		const { id, members } = named('Returning customers');
		members.clear();
		const [first, second] = world().contacts.filter(() => true);
		const contactId = byId('={{ $json.contact }}');
		await ok(
			segment('addContacts', { segmentId: byId(id), contactId }),
			[first!, second!, first!].map((row) => ({ contact: row.id })),
		);
		expect(sent().body).toEqual({ action: 'add', contactIds: [first!.id, second!.id] });
	});

	test('the rejection of a combined request belongs to every item in it', async () => {
		const { id } = named('Newsletter');
		const { json } = await harness.run(
			segment('addContacts', { segmentId: byId(id), contactId: byId('={{ $json.contact }}') }),
			{
				items: [{ contact: 'nobody' }, { contact: 'no one' }],
				settings: { onError: 'continueRegularOutput' },
			},
		);
		expect(json).toEqual([
			{ error: expect.stringMatching(/nobody, no one/) },
			{ error: expect.stringMatching(/nobody, no one/) },
		]);
	});

	describe('when the second of two requests is rejected', () => {
		const addAll = async (
			{ id, members }: { id: string; members: Set<string> },
			contacts: string[],
			onError: 'stopWorkflow' | 'continueRegularOutput',
		) => {
			members.clear();
			let requests = 0;
			harness.sandbox.faults.add(
				{ kind: 'status', status: 409 },
				{ matches: ({ method }) => method === 'PUT' && ++requests === 2 },
			);
			return await harness.run(
				segment('addContacts', { segmentId: byId(id), contactId: byId('={{ $json.contact }}') }),
				{ items: contacts.map((contact) => ({ contact })), settings: { onError } },
			);
		};
		const contacts = () =>
			world()
				.contacts.filter(() => true)
				.slice(0, 600)
				.map(({ id }) => id);

		test('only the items with its contacts fail, if the node continues', async () => {
			const newsletter = named('Newsletter');
			const { items } = await addAll(newsletter, contacts(), 'continueRegularOutput');
			expect(newsletter.members.size).toBe(500);
			const [added, ...failed] = items;
			expect(added).toMatchObject({
				json: { memberCount: 500 },
				pairedItem: Array.from({ length: 500 }, (_, item) => ({ item })),
			});
			expect(failed.map(({ pairedItem }) => pairedItem)).toEqual(
				Array.from({ length: 100 }, (_, n) => ({ item: 500 + n })),
			);
			expect(failed[0]!.json.error).toMatch(
				/\(409 Conflict\).* 500 of 600 contacts were added before that\. To see which item it concerns, turn off Combine Items/,
			);
		});

		test('the message says how many were added, if the node stops', async () => {
			const { error } = await addAll(named('Newsletter'), contacts(), 'stopWorkflow');
			expect(error).toMatchObject({
				httpCode: '409',
				description: expect.stringMatching(
					/ 500 of 600 contacts were added before that\. To see which item it concerns, turn off Combine Items/,
				),
				context: { itemIndex: 500 },
			});
		});

		test('a rejected contact ID is named with what to check', async () => {
			const { error } = await harness.run(
				segment('addContacts', {
					segmentId: byId(named('Newsletter').id),
					contactId: byId('nobody'),
				}),
			);
			expect(error).toMatchObject({
				httpCode: '400',
				description: expect.stringMatching(
					/Enter the contact IDs of contacts in this organization/,
				),
			});
		});
	});
});

describe('Template', () => {
	const template = (operation: string, more: INodeParameters = {}) => ({
		resource: 'template',
		operation,
		...more,
	});

	test('a template is submitted, approved after a sync, and deleted from the list', async () => {
		const channelId = world().defaultChannel('WHATSAPP')!.id;
		const options = { language: 'de', allowCategoryChange: true, channelId: byId(channelId) };
		await ok(
			template('create', {
				name: 'late_news',
				category: 'UTILITY',
				components: '[{ "type": "BODY", "text": "Hi {{1}}" }]',
				options,
			}),
		);
		expect(sent().body).toMatchObject({
			name: 'late_news',
			category: 'UTILITY',
			language: 'de',
			allowCategoryChange: true,
			channelId,
		});
		await ok(template('sync'));
		expect(sent().body).toEqual({});
		const filters = { channelId: byId(channelId) };
		const rows = await ok(template('getAll', { returnAll: true, filters }));
		const row = rows.find(({ name }) => name === 'late_news')!;
		expect(row.status).toBe('APPROVED');
		const { results } = await harness.engine.search(
			'n8n-nodes-conversational-messaging.conversationalMessaging',
			'searchTemplates',
			{
				credential: {
					baseUrl: harness.sandbox.baseUrl,
					apiToken: harness.sandbox.tokens.all.value,
				},
				parameters: { options: filters },
				filter: 'late',
			},
		);
		expect(results).toEqual([
			{ name: 'late_news · de · Utility', value: `${row.id as string} late_news de` },
		]);
		const templateId = { __rl: true, mode: 'list', value: results[0]!.value as string };
		expect(await ok(template('delete', { templateId, options: filters }))).toEqual([
			{ deleted: true },
		]);
		expect(sent()).toMatchObject({
			path: `/templates/${row.id as string}`,
			query: { name: 'late_news', channelId },
		});
	});

	test('invalid values are reported before anything is sent', async () => {
		expect((await error(template('create', { name: 'Late News' }))).message).toBe(
			'Name expects lowercase letters, digits and underscores, but got "Late News"',
		);
		expect((await error(template('create', { name: 'x', components: '{}' }))).message).toBe(
			'Components expects a JSON list, but got "{}"',
		);
		expect((await error(template('delete', { templateId: byId('1') }))).message).toBe(
			'Template Name is empty',
		);
		expect(harness.sandbox.requests).toEqual([]);
	});
});
