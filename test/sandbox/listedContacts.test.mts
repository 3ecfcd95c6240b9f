import type { SandboxOptions } from '../../sandbox/options.mts';
import { startService, type Service } from './client.mts';

/** Contacts in lists: the document says that they include custom fields and segments, but not in which form. */
let service: Service;
beforeAll(async () => {
	service = await startService({ contacts: 5 });
});
afterAll(async () => await service.close());

type Shapes = SandboxOptions['shapes'];
async function listed(shapes: Partial<Shapes>): Promise<Record<string, unknown>[]> {
	Object.assign(service.sandbox.options.shapes, shapes);
	const { data } = await service.http.get<{ data: Record<string, unknown>[] }>('/contacts');
	return data.data;
}

test.each([
	['customFields', { customFields: [{ id: 'f', label: 'City', value: 'Rome' }] }],
	['fields', { fields: [{ id: 'f', label: 'City', value: 'Rome' }] }],
	['pairs', { customFields: [{ id: 'f', key: 'City', value: 'Rome' }] }],
	['byId', { customFields: { f: { label: 'City', value: 'Rome' } } }],
	['byLabel', { customFields: { City: { id: 'f', value: 'Rome' } } }],
	['labels', { customFields: { City: 'Rome' } }],
	['left out', { customFields: [{ id: 'f', label: 'City', value: 'Rome' }] }],
] as const)('custom fields as “%s”', async (listedFields, expected) => {
	const contact = service.sandbox.world.contacts.find(() => true)!;
	contact.customFields = [{ id: 'f', label: 'City', value: 'Rome' }];
	const [row, other] = await listed({ listedFields });
	expect(row).toMatchObject(expected);
	expect('customFields' in other! || 'fields' in other!).toBe(listedFields !== 'left out');
});

test('hidden custom fields', async () => {
	const [row] = await listed({ listedFields: 'hidden' });
	expect(row).not.toHaveProperty('customFields');
});

test.each([
	['records', (id: string, name: string) => ({ segments: [{ id, name }] })],
	[
		'memberships',
		(id: string, name: string) => ({ segments: [{ id: `of ${id}`, segment: { id, name } }] }),
	],
	['ids', (id: string) => ({ segmentIds: [id] })],
	['names', (_id: string, name: string) => ({ segments: [name] })],
] as const)('segments as “%s”', async (listedSegments, expected) => {
	const { world } = service.sandbox;
	const segment = world.segments.find(({ isDynamic }) => !isDynamic)!;
	const contact = world.contacts.find(() => true)!;
	for (const { members } of world.segments.filter(({ isDynamic }) => !isDynamic)) members.clear();
	segment.members.add(contact.id);
	const [row] = await listed({ listedSegments });
	expect(row).toMatchObject(expected(segment.id, segment.name));
});
