import { outputOf } from '../engine/engine.mts';
import type { ServiceResponse, Example, PreparedExample } from './example.mts';

interface Contact {
	id: string;
	name: string;
	customFields: { label: string; value: string }[];
}

interface Ticket {
	title: string;
	notes: { body: string }[];
}

export const contactSync: Example = {
	file: 'contact-sync.json',
	title: 'Sync contacts: a sheet against the service, one ticket for the rows that need a decision',

	async prepare(service) {
		// One customer is known already, with another city.
		const known = { name: 'Nathan Smith', waId: '12025550171' };
		const { data: created } = await service.post<ServiceResponse<Contact>>('/contacts', known);
		for (const [label, value] of [
			['Customer No', 'C-1001'],
			['city', 'Hamburg'],
		])
			await service.post(`/contacts/${created.data.id}/fields`, { label, value });

		const check: PreparedExample['check'] = async (run) => {
			const results = outputOf(run, 'Sync Contacts').map(({ json }) => json.result as string);
			const lines = [`results of the rows: ${results.join(', ')}`];
			for (const number of ['12025550171', '12025550172', '12025550173']) {
				const { data } = await service.get<ServiceResponse<Contact>>(`/contacts/${number}`);
				const { name, customFields } = data.data;
				lines.push(
					`${name}  ${customFields.map(({ label, value }) => `${label} ${value}`).join(', ')}`,
				);
			}
			const id = outputOf(run, 'Ticket with All Rows')[0]?.json.id as string | undefined;
			const { data } = await service.get<ServiceResponse<Ticket>>(`/tickets/${id ?? 'none'}`);
			lines.push(data.data.title);
			const failures: string[] = [];
			if (results.join() !== 'updated,created,created,conflict,conflict')
				failures.push(`Expected three rows to be synced and two conflicts, got ${results.join()}`);
			if (data.data.title !== '2 rows of the sheet need a decision')
				failures.push(`Expected a ticket about 2 rows, got "${data.data.title}"`);
			return { lines, failures };
		};
		return { check };
	},
};
