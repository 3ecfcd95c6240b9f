import { outputOf } from '../engine/engine.mts';
import type { Example, ServiceResponse } from './example.mts';

interface Chat {
	id: string;
	contactId: string;
	activeSession: object | null;
}

interface Segment {
	id: string;
	members: { id: string }[];
}

export const optOut: Example = {
	file: 'opt-out.json',
	title: 'Opt out: a customer who writes STOP is added to the segment that broadcasts exclude',

	async prepare(service, customer) {
		const created = await service.post<ServiceResponse<Segment>>('/segments', {
			name: 'Opted out',
		});
		const params = { channel: 'WHATSAPP', limit: 10 };
		const { data } = await service.get<ServiceResponse<Chat[]>>('/chats', { params });
		// Without a session: one of another agent would reject the confirmation.
		const [leaving, staying] = data.data.filter(({ activeSession }) => !activeSession) as [
			Chat,
			Chat,
		];
		return {
			async causeEvent() {
				await Promise.resolve();
				customer.write(leaving.id, '“Stop.”');
				customer.write(staying.id, 'When does the shop close?');
				return 2;
			},
			async check(run) {
				const { id } = created.data.data;
				const segment = await service.get<ServiceResponse<Segment>>(`/segments/${id}`);
				const members = segment.data.data.members.map((member) => member.id);
				const failures: string[] = [];
				if (members.length !== 1 || members[0] !== leaving.contactId)
					failures.push('Expected the customer who wrote STOP in the segment, and nobody else');
				const confirmed = outputOf(run, 'Confirm').length;
				if (confirmed !== 1) failures.push(`Expected one confirmation, got ${confirmed}`);
				return { lines: ['1 customer has opted out, and has a confirmation'], failures };
			},
		};
	},
};
