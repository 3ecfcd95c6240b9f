import { outputOf } from '../engine/engine.mts';
import type { ServiceResponse, Example } from './example.mts';
import { COLLEAGUE, DATA_TABLES } from './fillIn.mts';

const [order] = DATA_TABLES.Orders;

export const orderStatus: Example = {
	file: 'order-status.json',
	title:
		'Answer questions about orders: a number in a message, a look-up, a reply or an escalation',

	async prepare(service, customer) {
		const chats = async (params: object) =>
			(await service.get<ServiceResponse<{ id: string }[]>>('/chats', { params })).data.data;
		const [own] = await chats({ waId: COLLEAGUE });
		const free = await chats({ channel: 'WHATSAPP', needsEscalation: false });
		const other = free.find(({ id }) => id !== own?.id);
		return {
			async causeEvent() {
				customer.write(own?.id ?? '', `Where is my order ${order?.number ?? ''}?`);
				customer.write(other?.id ?? '', 'And where is 999999?');
				return await Promise.resolve(2);
			},
			async check(run) {
				const [reply] = outputOf(run, 'Reply').length === 1 ? outputOf(run, 'Order') : [];
				const escalated = await chats({ needsEscalation: true, limit: 100 });
				const failures: string[] = [];
				if (reply?.json.status !== order?.status)
					failures.push(`Expected a reply about the order ${order?.number ?? ''}`);
				if (!escalated.some(({ id }) => id === other?.id))
					failures.push('Expected the chat about the unknown order to be escalated');
				const lines = [`1 reply: ${order?.status ?? ''}`, '1 chat is escalated'];
				return { lines, failures };
			},
		};
	},
};
