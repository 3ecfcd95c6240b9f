import { outputOf } from '../engine/engine.mts';
import type { ServiceResponse, Example } from './example.mts';

interface Ticket {
	title: string;
	priority: string;
}

export const broadcastReport: Example = {
	file: 'broadcast-report.json',
	title: 'Report a broadcast: starts when it has ended, and creates a ticket with the results',

	async prepare(service) {
		await Promise.resolve();
		return {
			async causeEvent() {
				const phones = Array.from(
					{ length: 40 },
					(_, i) => `120255501${String(i).padStart(2, '0')}`,
				);
				// The last number is unreachable.
				await service.post('/broadcasts', {
					name: 'Summer',
					templateName: 'ticket_update',
					templateLanguage: 'en_US',
					templateComponents: [
						{
							type: 'body',
							parameters: ['there', '1001', 'open'].map((text) => ({ type: 'text', text })),
						},
					],
					recipients: [...phones, '000'],
				});
				return 1;
			},
			async check(run) {
				const [event] = outputOf(run, 'Broadcast Ended').map(({ json }) => json);
				const id = outputOf(run, 'Ticket for Marketing')[0]?.json.id as string | undefined;
				const { data } = await service.get<ServiceResponse<Ticket>>(`/tickets/${id ?? 'none'}`);
				const { title, priority } = data.data;
				const failures: string[] = [];
				if (event?.status !== 'PARTIAL' || title !== 'Broadcast Summer: PARTIAL, 40 of 41 sent')
					failures.push(`Expected a report of 40 of 41 sent, got "${title}"`);
				return { lines: [`${priority}  ${title}`], failures };
			},
		};
	},
};
