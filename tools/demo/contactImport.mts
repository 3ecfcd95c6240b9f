import { outputOf } from '../engine/engine.mts';
import type { ServiceResponse, Example, PreparedExample } from './example.mts';

const PEOPLE = ['12025550181', '12025550182'];

export const contactImport: Example = {
	file: 'contact-import.json',
	title: 'Import contacts: sign-ups as one import, a ticket for each rejected row',

	async prepare(service) {
		const { data: before } = await service.get<{ meta: { total: number } }>('/tickets');

		const check: PreparedExample['check'] = async (run) => {
			const failures: string[] = [];
			const lines: string[] = [];
			for (const number of PEOPLE) {
				const { data } = await service.get<ServiceResponse<{ name: string; waId: string }>>(
					`/contacts/${number}`,
				);
				lines.push(`${data.data.waId}  ${data.data.name}`);
				if (!data.data.name) failures.push(`${number} has no name`);
			}
			const { data: after } = await service.get<{ meta: { total: number } }>('/tickets');
			const tickets = after.meta.total - before.meta.total;
			lines.push(`${tickets} tickets for rejected sign-ups`);
			if (tickets !== 2 || outputOf(run, 'Ticket per Row').length !== 2) {
				failures.push(`Expected tickets for 2 sign-ups, got ${tickets}`);
			}
			return { lines, failures };
		};
		return { check };
	},
};
