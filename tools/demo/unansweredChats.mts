import { outputOf } from '../engine/engine.mts';
import type { ServiceResponse, Example } from './example.mts';

interface Chat {
	id: string;
	contact: { waId: string | null };
	assignee: { id: string } | null;
	activeSession: object | null;
	lastMessage: { direction: string; createdAt: string } | null;
}

interface Ticket {
	title: string;
	chatId: string;
}

/** Whether the customer wrote last, more than half an hour before this chat was read, and nobody has the chat. */
const isWaiting = ({ assignee, lastMessage }: Chat, now: number): boolean =>
	assignee === null &&
	lastMessage?.direction === 'INBOUND' &&
	Date.parse(lastMessage.createdAt) <= now - 30 * 60_000;

export const unansweredChats: Example = {
	file: 'unanswered-chats.json',
	title: 'Unanswered chats: those in which a customer waits get an agent and a ticket',

	async prepare(service, customer) {
		const params = { limit: 100 };
		const read = async (): Promise<Chat[]> => {
			const first = await service.get<ServiceResponse<Chat[]>>('/chats', { params });
			const second = await service.get<ServiceResponse<Chat[]>>('/chats', {
				params: { ...params, page: 2 },
			});
			return [...first.data.data, ...second.data.data];
		};
		const { data: users } = await service.get<ServiceResponse<{ id: string }[]>>('/users');
		const open = (await read()).filter(
			(chat) =>
				isWaiting(chat, Date.now()) && chat.activeSession === null && chat.contact.waId !== null,
		);
		const [answered, impatient] = open.slice(-2) as [Chat, Chat];
		await service.post('/messages', {
			channel: 'WHATSAPP',
			to: answered.contact.waId,
			type: 'template',
			templateName: 'ticket_update',
			templateLanguage: 'en_US',
			templateComponents: [
				{
					type: 'body',
					parameters: ['there', '1001', 'open'].map((text) => ({ type: 'text', text })),
				},
			],
			agentId: users.data[0]?.id,
		});
		customer.write(impatient.id, 'Is anybody there?', Date.now() - 10 * 60_000);
		const before = await read();
		const expected = before.filter((chat) => isWaiting(chat, Date.now())).map(({ id }) => id);

		return {
			async check(run) {
				const found = outputOf(run, 'Waiting Chats').map(({ json }) => json.id as string);
				const failures: string[] = [];
				if (found.toSorted().join() !== expected.toSorted().join())
					failures.push(`Expected ${expected.length} waiting chats, got ${found.length}`);
				if (found.includes(answered.id) || found.includes(impatient.id))
					failures.push('Expected neither the answered chat nor the one that is minutes old');
				const after = await read();
				if (after.some((chat) => isWaiting(chat, Date.now())))
					failures.push('Expected an agent for every waiting chat');
				const tickets = outputOf(run, 'Open Ticket').map(({ json }) => json as unknown as Ticket);
				if (new Set(tickets.map(({ chatId }) => chatId)).size !== expected.length)
					failures.push(`Expected a ticket per chat, got ${tickets.length}`);
				const lines = [
					`${tickets.length} chats have an agent and a ticket, e.g. ${tickets[0]?.title ?? ''}`,
				];
				return { lines, failures };
			},
		};
	},
};
