import { outputOf } from '../engine/engine.mts';
import type { Example } from './example.mts';

interface Figures {
	tickets: { total: number }[];
	broadcasts: { name: string; readRate?: number }[];
}

export const weeklyReport: Example = {
	file: 'weekly-report.json',
	title: 'Weekly report: tickets per agent and status, broadcasts with rates, as a page',

	async prepare() {
		return await Promise.resolve({
			async check(run) {
				const [figures] = outputOf(run, 'Figures').map(({ json }) => json as unknown as Figures);
				const [page] = outputOf(run, 'Page').map(({ json }) => json.html as string);
				const { tickets = [], broadcasts = [] } = figures ?? {};
				const total = tickets.reduce((sum, row) => sum + row.total, 0);
				const failures: string[] = [];
				if (total === 0 || broadcasts.length === 0)
					failures.push('Expected a report of tickets and broadcasts');
				if (!page?.includes('%</td>')) failures.push('Expected a page with rates');
				const lines = [
					`${total} tickets of ${tickets.length} agents, ${broadcasts.length} broadcasts`,
				];
				return await Promise.resolve({ lines, failures });
			},
		});
	},
};
