import axios from 'axios';
import { outputOf } from '../engine/engine.mts';
import { COLLEAGUE } from './fillIn.mts';
import type { ServiceResponse, Example, PreparedExample } from './example.mts';

interface Broadcast {
	name: string;
	recipientCount: number;
	audienceMode: string;
}

export const broadcastPreview: Example = {
	file: 'broadcast-preview.json',
	title:
		'Preview a broadcast and ask somebody: sends it if approved, and creates a ticket otherwise',

	async prepare(service) {
		const { data: before } = await service.get<ServiceResponse<unknown[]>>('/broadcasts');

		/** Presses the button on the page behind the link in the message. */
		const respond = async () => {
			const chats = await service.get<ServiceResponse<{ id: string }[]>>('/chats', {
				params: { waId: COLLEAGUE },
			});
			const chat = chats.data.data[0]?.id ?? '';
			const messages = await service.get(`/chats/${chat}/messages`, { params: { take: 1 } });
			const [, link = ''] = /Send: (\S+?)(?:\\n|")/.exec(JSON.stringify(messages.data)) ?? [];
			await axios.post(link, new URLSearchParams({ approved: 'true' }));
		};

		const check: PreparedExample['check'] = async (run) => {
			const [preview] = outputOf(run, 'Preview').map(({ json }) => json);
			const [broadcast] = outputOf(run, 'Broadcast').map(({ json }) => json);
			const { leftOut } = (broadcast?.guards ?? {}) as { leftOut?: number };
			const count = preview?.recipients as number;
			const id = broadcast?.id as string;
			const { data } = await service.get<ServiceResponse<Broadcast>>(`/broadcasts/${id}`);
			const { data: after } = await service.get<ServiceResponse<unknown[]>>('/broadcasts');
			const { name, recipientCount, audienceMode } = data.data;
			const failures: string[] = [];
			if (recipientCount !== count)
				failures.push(`Expected ${count} recipients as in the preview, got ${recipientCount}`);
			if (!leftOut) failures.push('Expected members of the excluded segment');
			if (after.meta.total !== before.meta.total + 1)
				failures.push('Expected one broadcast more: the preview must not send any');
			const { text: start } = (preview?.start ?? {}) as { text?: string };
			return {
				lines: [
					`Ready: ${count} recipients, ${start}`,
					`${name}  ${recipientCount} recipients as ${audienceMode}, ${leftOut} left out`,
				],
				failures,
			};
		};
		return { respond, check };
	},
};
