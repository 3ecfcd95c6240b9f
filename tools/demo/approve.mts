import axios, { type AxiosInstance } from 'axios';
import { COLLEAGUE } from './fillIn.mts';
import type { ServiceResponse } from './example.mts';

/** Presses the button "Send" on the page behind the link in the latest message to the colleague. */
export async function approve(service: AxiosInstance): Promise<void> {
	const chats = await service.get<ServiceResponse<{ id: string }[]>>('/chats', {
		params: { waId: COLLEAGUE },
	});
	const chat = chats.data.data[0]?.id ?? '';
	const messages = await service.get(`/chats/${chat}/messages`, { params: { take: 1 } });
	const [, link = ''] = /Send: (\S+?)(?:\\n|")/.exec(JSON.stringify(messages.data)) ?? [];
	await axios.post(link, new URLSearchParams({ approved: 'true' }));
}
