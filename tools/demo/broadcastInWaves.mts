import { outputOf } from '../engine/engine.mts';
import type { ServiceResponse, Example, PreparedExample } from './example.mts';

interface Broadcast {
	name: string;
	status: string;
	recipientCount: number;
}

export const broadcastInWaves: Example = {
	file: 'broadcast-in-waves.json',
	title: 'Broadcast in waves: the next part of a segment once the last one has succeeded',

	async prepare(service) {
		const { data: segments } =
			await service.get<ServiceResponse<{ name: string; memberCount: number }[]>>('/segments');
		const members = segments.data.find(({ name }) => name === 'Newsletter')?.memberCount ?? 0;

		const check: PreparedExample['check'] = async (run) => {
			const previews = run.data.resultData.runData.Preview ?? [];
			const expected = previews.map(({ data }) => data?.main?.[0]?.[0]?.json.recipients as number);
			const { data } = await service.get<ServiceResponse<Broadcast[]>>('/broadcasts');
			const waves = data.data.filter(({ name }) => name.includes(', wave ')).reverse();
			const failures: string[] = [];
			const sent = waves.map(({ recipientCount }) => recipientCount);
			if (sent.length !== Math.ceil(members / 150) || String(sent) !== String(expected))
				failures.push(`Expected waves of ${expected.join(', ')}, got ${sent.join(', ')}`);
			if (waves.some(({ status }) => status !== 'COMPLETED'))
				failures.push('Expected every wave to be completed');
			if (outputOf(run, 'Ticket for Marketing').length > 0) failures.push('Expected no ticket');
			return {
				lines: waves.map(
					({ name, status, recipientCount }) => `${name}  ${recipientCount} recipients  ${status}`,
				),
				failures,
			};
		};
		return { check };
	},
};
