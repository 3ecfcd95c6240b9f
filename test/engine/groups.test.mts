import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { addTemplate } from '../support/records.mts';
import { byId, type NodeRun } from './harness.mts';
import { CONTINUE, pairs, SharedHarness } from './sharedHarness.mts';

/** Contact fields, segments and templates. */
const service = new SharedHarness({ contacts: 600, tickets: 1 });

const latest = () => service.requests.at(-1)!;

describe('Contact Field', () => {
	const contact = () => service.world.contacts.find(({ waId }) => waId === '12015550100')!;
	const field = (operation: string, more: INodeParameters) => ({
		resource: 'contactField',
		operation,
		contactId: byId(contact().id),
		...more,
	});

	test('a contact field is added, updated and deleted; its value is sent as it is', async () => {
		const value = ' Oslo \n';
		const [added] = await service.ok(field('add', { label: 'city', value }));
		expect(added).toMatchObject({ label: 'city' });
		expect(latest().body).toStrictEqual({ label: 'city', value });
		const fieldId = added!.id as string;
		await service.ok(field('update', { fieldId, updateFields: { value: '  Rome' } }));
		expect(latest().body).toStrictEqual({ value: '  Rome' });
		expect(await service.ok(field('delete', { fieldId: byId(fieldId) }))).toStrictEqual([
			{ deleted: true },
		]);
		expect((await service.error(field('delete', { fieldId }))).httpCode).toBe('404');
		const nothing = await service.error(field('update', { fieldId, updateFields: {} }));
		expect(nothing.message).toBe('Nothing to update');
	});
});

describe('Segment', () => {
	const segment = (operation: string, more: INodeParameters = {}) => ({
		resource: 'segment',
		operation,
		...more,
	});
	const named = (name: string) => service.world.segments.find((row) => row.name === name)!;
	const contactIds = (count: number) =>
		service.world.contacts
			.filter(() => true)
			.slice(0, count)
			.map(({ id }) => id);
	/** A segment without members. */
	const empty = (name = 'Returning customers') => {
		named(name).members.clear();
		return named(name);
	};
	/** Adds a contact per item to a segment. */
	const add = async (segmentId: string, contacts: string[], options: NodeRun = {}) =>
		await service.run(
			segment('addContacts', {
				segmentId: byId(segmentId),
				contactId: byId('={{ $json.contact }}'),
			}),
			{ items: contacts.map((contact) => ({ contact })), ...options },
		);

	test('a segment is created, static or with rules, and deleted', async () => {
		const create = (name: string, more: INodeParameters = {}) =>
			segment('create', { name, ...more });
		await service.ok(create('VIP', { additionalFields: { description: 'Best' } }));
		await service.ok(create('Insta', { isDynamic: true, rules: '{ "channel": "INSTAGRAM" }' }));
		// Rules that were entered before Dynamic was turned off.
		await service.ok(create('Off', { isDynamic: false, rules: '{ "a": 1 }' }));
		expect(service.bodies('POST /segments')).toStrictEqual([
			{ name: 'VIP', description: 'Best' },
			{ name: 'Insta', isDynamic: true, rules: { channel: 'INSTAGRAM' } },
			{ name: 'Off' },
		]);
		expect((await service.error(create('VIP'))).description).toMatch(/already exists/);
		const list = await service.error(create('X', { isDynamic: true, rules: '[]' }));
		expect(list.message).toBe('Rules expects a JSON object, but got "[]"');
		const deletion = segment('delete', { segmentId: byId(named('VIP').id) });
		expect(await service.ok(deletion)).toStrictEqual([{ deleted: true }]);
		expect(await service.ok(segment('getAll', { returnAll: true }))).toHaveLength(5);
	});

	test('contacts of all items are added in one request per segment, each once, and paired with their items', async () => {
		const [first, second] = [empty('Newsletter'), empty()];
		const [one, two, three] = contactIds(3) as [string, string, string];
		const items = [
			{ contact: one, segment: first.id },
			{ contact: two, segment: second.id },
			{ contact: three, segment: first.id },
			{ contact: one, segment: first.id },
		];
		const { items: output } = await add('={{ $json.segment }}', [], { items });
		expect(service.bodies('PUT /segments/{id}/members')).toStrictEqual([
			{ action: 'add', contactIds: [one, three] },
			{ action: 'add', contactIds: [two] },
		]);
		expect(output.map(({ json }) => json.memberCount)).toStrictEqual([2, 1]);
		expect(pairs(output)).toStrictEqual([[0, 2, 3], 1]);
	});

	test('contacts are added one by one if items are not combined, and a list from an expression is removed at once', async () => {
		const { id, members } = empty();
		const contacts = contactIds(3);
		const one = segment('addContacts', {
			combine: false,
			segmentId: byId(id),
			contactId: byId('={{ $json.contact }}'),
		});
		const items = contacts.map((contact) => ({ contact }));
		expect(await service.ok(one, { items })).toHaveLength(3);
		expect(service.requests).toHaveLength(3);
		const remove = segment('removeContacts', {
			segmentId: byId(id),
			contactId: byId(`={{ ${JSON.stringify(contacts)} }}`),
		});
		await service.ok(remove);
		expect(latest().body).toStrictEqual({ action: 'remove', contactIds: contacts });
		expect(members.size).toBe(0);
	});

	test('the rejection of a combined request belongs to every item in it, and says what to check', async () => {
		const { json } = await add(named('Newsletter').id, ['nobody', 'noone'], CONTINUE);
		expect(json).toStrictEqual(
			Array(2).fill({
				error: expect.stringMatching(
					/nobody, noone.*Enter the contact IDs of contacts in this organization/,
				),
			}),
		);
	});

	describe('when the second of two requests is rejected', () => {
		beforeEach(() => {
			let count = 0;
			service.reject(409, { matches: ({ method }) => method === 'PUT' && ++count === 2 });
		});
		const ADDED =
			/ 500 of 510 contacts were added before that\. To see which item it concerns, turn off Combine Items/;

		test('only the items with its contacts fail, if the node continues', async () => {
			const { id, members } = empty();
			const { items } = await add(id, contactIds(510), CONTINUE);
			expect(members.size).toBe(500);
			expect(items[0]!.json).toMatchObject({ memberCount: 500 });
			const [added, failed] = [Array.from({ length: 500 }, (_, n) => n), items.slice(1)];
			expect(pairs(items)).toStrictEqual([added, ...failed.map((_, n) => 500 + n)]);
			expect(failed).toHaveLength(10);
			for (const text of [/\(409 Conflict\)/, ADDED]) expect(failed[0]!.json.error).toMatch(text);
		});

		test('the output has the contacts that were added, if the service shows no segment', async () => {
			service.respond({ success: true });
			const { json } = await add(empty().id, contactIds(510), CONTINUE);
			expect(json[0]!.requested).toStrictEqual({ action: 'add', contactIds: contactIds(500) });
		});

		test('an item whose list spans both requests fails', async () => {
			const contacts = contactIds(510);
			const lists = [contacts.slice(0, 490), contacts.slice(490)];
			const { json, items } = await add(empty().id, lists.map(String), CONTINUE);
			expect(json).toMatchObject([
				{ memberCount: 500 },
				{ error: expect.stringMatching(ADDED) as string },
			]);
			expect(pairs(items)).toStrictEqual([0, 1]);
		});

		test('the message says how many were added, if the node stops', async () => {
			const { error } = await add(empty().id, contactIds(510));
			expect(error).toMatchObject({
				httpCode: '409',
				description: expect.stringMatching(ADDED),
				context: { itemIndex: 500 },
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
		const channelId = service.world.defaultChannel('WHATSAPP')!.id;
		const values = { name: 'late_news', category: 'UTILITY', language: 'de' };
		const options = { allowCategoryChange: true };
		await service.ok(
			template('create', {
				...values,
				defineUsing: 'json',
				components: '[{ "type": "BODY", "text": "Hi {{1}}" }]',
				options: { ...options, channelId: byId(channelId) },
			}),
		);
		expect(latest().body).toMatchObject({ ...values, ...options, channelId });
		await service.ok(template('sync'));
		expect(latest().body).toStrictEqual({});
		const filters = { channelId: byId(channelId) };
		const rows = await service.ok(template('getAll', { returnAll: true, filters }));
		const row = rows.find(({ name }) => name === 'late_news')!;
		expect(row.status).toBe('APPROVED');
		const { results } = await service.search(
			'searchTemplates',
			{ options: filters },
			{ filter: 'late' },
		);
		expect(results).toStrictEqual([
			{ name: 'late_news · de · Utility', value: `${row.id as string} late_news de` },
		]);
		const templateId = { __rl: true, mode: 'list', value: results[0]!.value as string };
		// Template Name is left over from another choice: the chosen template has its own.
		const chosen = { templateId, templateName: 'welcome', options: filters };
		expect(await service.ok(template('delete', chosen))).toStrictEqual([{ deleted: true }]);
		expect(latest()).toMatchObject({
			path: `/templates/${row.id as string}`,
			query: { name: 'late_news', channelId },
		});
	});

	test('a message with the ID of a template finds it among those of its own channel', async () => {
		const channels = service.world.channels.filter(({ type }) => type === 'WHATSAPP').slice(0, 2);
		const items = channels.map((channel, n) => {
			const { id } = addTemplate(service.world, {
				id: `${n}`,
				name: `of_${n}`,
				channelId: channel.id,
			});
			return { channel: channel.id, template: id };
		});
		await service.ok(
			{
				resource: 'message',
				operation: 'send',
				to: byId('12015550100'),
				type: 'template',
				templateId: byId('={{ $json.template }}'),
				agentId: byId(service.world.users.filter(() => true)[0]!.id),
				options: { channelId: byId('={{ $json.channel }}'), takeOver: true },
			},
			{ items },
		);
		expect(
			service.sent('POST /messages').map(({ body }) => (body as IDataObject).templateName),
		).toStrictEqual(['of_0', 'of_1']);
	});

	test.each<[operation: string, values: INodeParameters, message: string]>([
		[
			'create',
			{ name: 'Late News', body: 'Hi' },
			'Name expects lowercase letters, digits and underscores, but got "Late News"',
		],
		['delete', { templateId: byId('1') }, 'Template Name is empty'],
	])('to %s with %j is rejected before anything is sent', async (operation, values, message) => {
		expect((await service.rejected(template(operation, values))).message).toBe(message);
	});
});
