import { outputOf } from '../engine/engine.mts';
import { approve } from './approve.mts';
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
		return { respond: async () => await approve(service), check };
	},
};
