import { outputOf } from '../engine/engine.mts';
import type { Answer, Story, Telling } from './story.mts';

const PEOPLE = ['12025550181', '12025550182'];

export const contactImport: Story = {
	file: 'contact-import.json',
	title: 'Import contacts: sign-ups as one import, a ticket for each rejected row',

	async begin(service) {
		const { data: before } = await service.get<{ meta: { total: number } }>('/tickets');

		const ending: Telling['ending'] = async (run) => {
			const complaints: string[] = [];
			const lines: string[] = [];
			for (const number of PEOPLE) {
				// The service may have kept the plus of the sign-up.
				const { data } = await service.get<Answer<{ name: string; waId: string }>>(
					`/contacts/${encodeURIComponent(number)}`,
				);
				lines.push(`${data.data.waId}  ${data.data.name}`);
				if (!data.data.name) complaints.push(`${number} has no name`);
			}
			const { data: after } = await service.get<{ meta: { total: number } }>('/tickets');
			const tickets = after.meta.total - before.meta.total;
			lines.push(`${tickets} tickets for rejected sign-ups`);
			if (tickets !== 2 || outputOf(run, 'Ticket per Row').length !== 2) {
				complaints.push(`Expected tickets for 2 sign-ups, got ${tickets}`);
			}
			return { lines, complaints };
		};
		return { ending };
	},
};
