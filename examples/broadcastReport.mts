import { outputOf } from '../engine/engine.mts';
import type { Answer, Story } from './story.mts';

interface Ticket {
	title: string;
	priority: string;
}

export const broadcastReport: Story = {
	file: 'broadcast-report.json',
	title: 'Report a broadcast: starts when it has ended, and creates a ticket with the results',

	async begin(service) {
		await Promise.resolve();
		return {
			async happen() {
				const phones = Array.from(
					{ length: 40 },
					(_, i) => `120255501${String(i).padStart(2, '0')}`,
				);
				// The last number is unreachable.
				await service.post('/broadcasts', {
					name: 'Summer',
					templateName: 'ticket_update',
					templateLanguage: 'en_US',
					recipients: [...phones, '000'],
				});
			},
			async ending(run) {
				const [event] = outputOf(run, 'Broadcast Ended').map(({ json }) => json);
				const id = outputOf(run, 'Ticket for Marketing')[0]?.json.id as string | undefined;
				const { data } = await service.get<Answer<Ticket>>(`/tickets/${id ?? 'none'}`);
				const { title, priority } = data.data;
				const complaints: string[] = [];
				if (event?.status !== 'PARTIAL' || title !== 'Broadcast Summer: PARTIAL, 40 of 41 sent')
					complaints.push(`Expected a report of 40 of 41 sent, got "${title}"`);
				return { lines: [`${priority}  ${title}`], complaints };
			},
		};
	},
};
