import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { SandboxOptions } from '../../sandbox/options.mts';
import { byId, WELCOME } from './harness.mts';
import { SharedHarness } from './sharedHarness.mts';

const KNOWN = '12015550100';
const WRITTEN = ['12015550100', '+1 (201) 555-0100'];

const picked = (value: string) => ({ __rl: true, mode: 'list', value });

/** Whether the service finds a contact by its number with and without a plus is undocumented. */
describe.each<SandboxOptions['shapes']['plus']>(['other', 'same'])(
	'a service for which a number with a plus is the %s contact',
	(plus) => {
		const service = new SharedHarness({ contacts: 20, shapes: { plus } });

		const contacts = () => service.world.contacts;
		const known = () => service.world.findContactByWaId(KNOWN)!;
		const ok = async (parameters: INodeParameters, items?: IDataObject[]) =>
			await service.ok(parameters, { items });
		/** A contact that another client stored with a plus. */
		const addStored = () => service.world.addContact({ name: 'Stored', waId: '+12025550177' });

		const template = () =>
			service.message({ type: 'template', ...WELCOME, options: { takeOver: true } });
		const searchList = async (method: string, filter: string) =>
			(await service.search(method, { channel: 'WHATSAPP' }, { filter })).results.map(
				({ value }) => value,
			);

		test('Create or Update creates a new contact once, however its number is written', async () => {
			const size = contacts().size;
			const items = ['+1 202 555 0143', '12025550143', '+12025550143'].map((waId) => ({ waId }));
			await ok(
				{ resource: 'contact', operation: 'upsert', name: 'Ann Lee', waId: '={{ $json.waId }}' },
				items,
			);
			expect(contacts().size).toBe(size + 1);
			expect(service.world.findContactByWaId('12025550143')!.waId).toBe('12025550143');
		});

		test.each(['12025550177', '+1 202 555 0177'])(
			'a contact that is stored with a plus is found by %j, keeps it, and so are its sessions and tickets',
			async (written) => {
				const { world } = service;
				const { id } = addStored();
				const chat = world.addChat({ ...world.chatOf(known().id)!, contactId: id, session: null });
				const [contactsBefore, ticketsBefore] = [contacts().size, world.tickets.size];
				const contact = { resource: 'contact', contactId: byId(written) };
				expect(await ok({ ...contact, operation: 'get' })).toMatchObject([{ id }]);
				await ok({ ...contact, operation: 'update', updateFields: { customName: 'VIP' } });
				const field = { label: 'city', value: 'Oslo' };
				await ok({ ...contact, resource: 'contactField', operation: 'set', ...field });
				await ok({ resource: 'contact', operation: 'upsert', name: 'Ann', waId: written });
				expect(contacts().get(id)).toMatchObject({
					...(plus === 'other' && { waId: '+12025550177' }),
					...{ name: 'Ann', customName: 'VIP', customFields: [expect.objectContaining(field)] },
				});

				const contactId = { __rl: true, mode: 'waId', value: written };
				const { agentId } = service;
				const session = { resource: 'session', contactId };
				await ok({ ...session, operation: 'start', agentId });
				expect(world.chats.get(chat.id)!.session).not.toBeNull();
				expect(await ok({ ...session, operation: 'get' })).toMatchObject([{ active: true }]);
				await ok({ ...session, operation: 'end' });
				expect(world.chats.get(chat.id)!.session).toBeNull();
				const ticket = { resource: 'ticket', operation: 'create', title: 'T', contactId };
				expect(await ok(ticket)).toMatchObject([{ contactId: id }]);
				expect([contacts().size, world.tickets.size]).toStrictEqual([
					contactsBefore,
					ticketsBefore + 1,
				]);
			},
		);

		test('a write for a contact that exists in neither form is sent once, and its rejection is reported', async () => {
			const contactId = { __rl: true, mode: 'waId', value: '+52 55 1234 5678' };
			const { agentId } = service;
			for (const [parameters, status] of [
				[{ resource: 'session', operation: 'start', contactId, agentId }, '404'],
				[{ resource: 'ticket', operation: 'create', title: 'T', contactId }, '400'],
			] as const) {
				service.requests.length = 0;
				const { error } = await service.run(parameters);
				expect(error!.httpCode).toBe(status);
				const sent = service.requests.map(({ method, path, body }) =>
					method === 'GET' ? decodeURIComponent(path) : body,
				);
				expect(sent).toStrictEqual([
					expect.anything(),
					'/contacts/+525512345678',
					'/contacts/5215512345678',
					'/contacts/+5215512345678',
				]);
			}
		});

		test.each(WRITTEN)('a search for %j finds the contact', async (written) => {
			const filters = { search: written };
			const rows = await ok({ resource: 'contact', operation: 'getAll', filters });
			expect(rows.map(({ id }) => id)).toStrictEqual([known().id]);
			expect(await searchList('searchContacts', written)).toStrictEqual([known().id]);
			expect(await searchList('searchRecipients', written)).toStrictEqual([KNOWN]);
		});

		test('a recipient that was picked from the list is sent as it is stored', async () => {
			const { id } = addStored();
			const size = contacts().size;
			const [value] = await searchList('searchRecipients', '+1 202 555 0177');
			const to = picked(value as string);
			expect(to.value).toBe('+12025550177');
			const [sent] = await ok({ ...template(), to });
			expect(sent!.contactId).toBe(id);
			const flowId = byId(service.world.flows.find(({ active }) => active)!.id);
			const flow = { resource: 'flow', operation: 'trigger', flowId };
			expect(await ok({ ...flow, to })).toMatchObject([{ contactId: id }]);
			// So is one that is entered, if the service finds no contact for its digits.
			const entered = byId('+1 202 555 0177');
			expect(await ok({ ...flow, to: entered })).toMatchObject([{ contactId: id }]);
			expect(contacts().size).toBe(size);
			// An expression in the field's list mode is read like an entered number.
			const items = [{ to: `+${KNOWN}` }];
			const expression = { ...flow, to: picked('={{ $json.to }}') };
			expect(await ok(expression, items)).toMatchObject([{ contactId: known().id }]);
		});
	},
);
