import { outputOf } from '../engine/engine.mts';
import type { ServiceResponse, Example, PreparedExample } from './example.mts';

interface Segment {
	id: string;
	name: string;
	memberCount: number;
}

export const weeklyCap: Example = {
	file: 'weekly-cap.json',
	title: 'At most one broadcast a week: recipients join a segment that the next broadcast excludes',

	async prepare(service) {
		const segments = await service.get<ServiceResponse<Segment[]>>('/segments');
		const newsletter = segments.data.data.find(({ name }) => name === 'Newsletter');
		const path = `/segments/${newsletter?.id}`;
		const page = await service.get<ServiceResponse<{ members: { id: string }[] }>>(path);
		const messaged = page.data.data.members.slice(-3).map(({ id }) => id);
		const created = await service.post<ServiceResponse<Segment>>('/segments', {
			name: 'Messaged this week',
		});
		const { id } = created.data.data;
		await service.put(`/segments/${id}/members`, { action: 'add', contactIds: messaged });

		const check: PreparedExample['check'] = async (run) => {
			const [broadcast] = outputOf(run, 'Broadcast').map(({ json }) => json);
			const { leftOut, notes } = (broadcast?.guards ?? {}) as {
				leftOut?: number;
				notes?: string[];
			};
			const { data } = await service.get<ServiceResponse<Segment>>(`/segments/${id}`);
			const failures: string[] = [];
			if (!notes?.includes(`Left out ${messaged.length} members of "Messaged this week"`))
				failures.push('Expected those who were messaged this week to be left out');
			if (data.data.memberCount !== newsletter?.memberCount)
				failures.push(`Expected ${newsletter?.memberCount} members, got ${data.data.memberCount}`);
			return {
				lines: [
					`${broadcast?.recipientCount as number} recipients, ${leftOut} left out`,
					`Messaged this week: ${data.data.memberCount} contacts`,
				],
				failures,
			};
		};
		return { check };
	},
};
