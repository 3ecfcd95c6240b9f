import { outputOf } from '../engine/engine.mts';
import type { ServiceResponse, Example, PreparedExample } from './example.mts';

interface Broadcast {
	id: string;
	name: string;
	status: string;
	statistics: Record<string, number>;
}

export const broadcastToSegment: Example = {
	file: 'broadcast-to-segment.json',
	title: 'Broadcast to a segment: send a template, wait for the end, check the results',

	async prepare(service) {
		const { data: segments } =
			await service.get<ServiceResponse<{ name: string; memberCount: number }[]>>('/segments');
		const members = segments.data.find(({ name }) => name === 'Newsletter')?.memberCount ?? 0;

		const check: PreparedExample['check'] = async (run) => {
			const id = outputOf(run, 'Broadcast')[0]?.json.id as string;
			const { data } = await service.get<ServiceResponse<Broadcast>>(`/broadcasts/${id}`);
			const { name, status, statistics } = data.data;
			const numbers = Object.entries(statistics).map(([key, count]) => `${key} ${count}`);
			const failures: string[] = [];
			if (status !== 'COMPLETED')
				failures.push(`Expected the broadcast to be completed, but its status is ${status}`);
			if (statistics.total !== members)
				failures.push(`Expected ${members} recipients, got ${statistics.total}`);
			return { lines: [`${name}  ${status}`, numbers.join(', ')], failures };
		};
		return { check };
	},
};
