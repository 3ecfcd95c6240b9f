import type { Chat } from '../../sandbox/records.mts';
import type { World } from '../../sandbox/world.mts';

/** A chat whose customer wrote within the last twelve hours, and the customer's number or Instagram ID. */
export function openChat(
	world: World,
	channel: Chat['channel'] = 'WHATSAPP',
): { chat: Chat; to: string } {
	for (const chat of world.chats.filter((each) => each.channel === channel)) {
		const contact = world.contacts.get(chat.contactId);
		const to = channel === 'WHATSAPP' ? contact?.waId : contact?.igId;
		if (to && world.now() - (chat.lastInboundAt ?? 0) < 12 * 3_600_000) return { chat, to };
	}
	throw new Error('No customer wrote within 12 hours');
}

/** The number of a customer on WhatsApp who last wrote more than a day ago. */
export function lateCustomer(world: World): string {
	const late = world.chats.find(
		({ channel, lastInboundAt }) =>
			channel === 'WHATSAPP' && world.now() - lastInboundAt! > 24 * 3_600_000,
	);
	return world.contacts.get(late!.contactId)!.waId!;
}
