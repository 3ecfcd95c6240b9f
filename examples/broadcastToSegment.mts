import { outputOf } from '../engine/engine.mts';
import type { Answer, Story, Telling } from './story.mts';

interface Broadcast {
	id: string;
	name: string;
	status: string;
	statistics: Record<string, number>;
}

export const broadcastToSegment: Story = {
	file: 'broadcast-to-segment.json',
	title: 'Broadcast to a segment: send a template, wait for the end, check the results',

	async begin(service) {
		const { data: segments } =
			await service.get<Answer<{ name: string; memberCount: number }[]>>('/segments');
		const members = segments.data.find(({ name }) => name === 'Newsletter')?.memberCount ?? 0;

		const ending: Telling['ending'] = async (run) => {
			const id = String(outputOf(run, 'Broadcast')[0]?.json.id as string | undefined);
			const { data } = await service.get<Answer<Broadcast>>(`/broadcasts/${id}`);
			const { name, status, statistics } = data.data;
			const numbers = Object.entries(statistics).map(([key, count]) => `${key} ${count}`);
			const complaints: string[] = [];
			if (status !== 'COMPLETED')
				complaints.push(`Expected the broadcast to be completed, but its status is ${status}`);
			if (statistics.total !== members)
				complaints.push(`Expected ${members} recipients, got ${statistics.total}`);
			return { lines: [`${name}  ${status}`, numbers.join(', ')], complaints };
		};
		return { ending };
	},
};
