import type { IDataObject } from 'n8n-workflow';
import { approve } from './approve.mts';
import type { ServiceResponse, Example } from './example.mts';

interface Contact {
	id: string;
	name: string;
	customFields: { label: string; value: string }[];
}

/** What somebody enters in the form. */
const lead = (name: string, phone: string, seats: number): IDataObject => ({
	Name: name,
	'WhatsApp number': phone,
	Company: 'Example Ltd',
	Seats: seats,
	'May we write to you on WhatsApp?': 'Yes',
});

export const leadForm: Example = {
	file: 'lead-form.json',
	title:
		'Lead form: contact, fields and segment in one node, then a welcome, approved for large leads',

	async prepare(service) {
		const before = await service.get<ServiceResponse<Contact[]>>('/contacts');
		return {
			submissions: [
				lead('Ann Lee', '+1 202 555 0145', 3),
				// Again, and in another spelling.
				lead('Ann Lee-Smith', '(202) 555-0145', 4),
				lead('Nathan Smith', '+1 202 555 0146', 120),
			],
			respond: async () => await approve(service),
			async check() {
				const after = await service.get<ServiceResponse<Contact[]>>('/contacts');
				const failures: string[] = [];
				if (after.data.meta.total !== before.data.meta.total + 2)
					failures.push('Expected two contacts more: the second submission updates the first one');
				const lines: string[] = [];
				for (const waId of ['12025550145', '12025550146']) {
					const { data } = await service.get<ServiceResponse<Contact>>(`/contacts/${waId}`);
					const chats = await service.get<ServiceResponse<{ id: string }[]>>('/chats', {
						params: { waId },
					});
					const [chat] = chats.data.data;
					const path = `/chats/${chat?.id ?? 'none'}/messages`;
					const { data: messages } = await service.get<ServiceResponse<unknown[]>>(path);
					const { name, customFields } = data.data;
					const fields = customFields.map(({ label, value }) => `${label} ${value}`);
					lines.push(`${name}: ${fields.join(', ')}, welcomed ${messages.data.length} times`);
					if (messages.data.length !== 1) failures.push(`Expected one message to ${name}`);
				}
				return { lines, failures };
			},
		};
	},
};
