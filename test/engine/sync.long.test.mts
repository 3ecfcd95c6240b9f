import { byId } from './harness.mts';
import { SharedHarness } from './sharedHarness.mts';

/** Contact → Sync with large numbers. */
const service = new SharedHarness({ contacts: 0, tickets: 1 });

/** Adds contacts until there are this many. @returns those with a number, as another system has them */
function contacts(count: number): { name: string; waId: string }[] {
	for (let n = 0; service.world.contacts.size < count; n++)
		service.world.addContact({ name: `Contact ${n}`, waId: String(12_025_600_000 + n) });
	return [...service.world.contacts.newestFirst()].flatMap(({ name, waId }) =>
		waId === null ? [] : { name, waId },
	);
}
const SYNC = { resource: 'contact', operation: 'sync', dryRun: false };

test('10,000 contacts with 20 changes need 50 reads and 20 writes, and then 50 reads', async () => {
	const items = contacts(10_000);
	for (let n = 0; n < 20; n++) items[n * 30]!.name = `New name ${n}`;
	const reads = Array<string>(50).fill('GET /contacts');
	for (const writes of [Array<string>(20).fill('PATCH /contacts/{id}'), []]) {
		service.requests.length = 0;
		await service.ok(SYNC, { items });
		expect(service.routes()).toStrictEqual([...reads, ...writes]);
	}
});

test('1,100 contacts are added to a segment in three requests', async () => {
	const segment = service.world.segments.find(({ isDynamic }) => !isDynamic)!;
	segment.members.clear();
	const items = contacts(1_100);
	await service.ok({ ...SYNC, segmentId: byId(segment.id) }, { items });
	expect(service.sent('PUT /segments/{id}/members')).toHaveLength(3);
	expect(segment.members.size).toBe(items.length);
});
