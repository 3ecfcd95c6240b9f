import { setTimeout as sleep } from 'node:timers/promises';
import type { AxiosInstance } from 'axios';
import { outputOf } from '../engine/engine.mts';
import type { ServiceResponse, Example } from './example.mts';

interface Broadcast {
	id: string;
	name: string;
	status: string;
	recipientCount: number;
	templateName: string;
}

/** A broadcast with its statistics. */
interface Row {
	name: string;
	status: string;
	sent: number;
	delivered: number;
	read: number;
	readRate: number;
}

/** The broadcasts of the example. */
async function broadcasts(service: AxiosInstance): Promise<Broadcast[]> {
	const { data } = await service.get<ServiceResponse<Broadcast[]>>('/broadcasts');
	return data.data.filter(({ name }) => name.startsWith('Template '));
}

/** To a thousandth. */
const rounded = (rate: number): number => Math.round(rate * 1_000) / 1_000;

/** How often, in milliseconds, and how many times to look whether both broadcasts have ended. */
const LOOK_EVERY_MS = 100;
const LOOKS = 200;

export const abTest: Example = {
	file: 'ab-test.json',
	title: 'Compare two templates: half of a segment each, and their rates side by side',

	async prepare(service) {
		return await Promise.resolve({
			async letTimePass() {
				for (let look = 0; look < LOOKS; look++) {
					const all = await broadcasts(service);
					if (all.length === 2 && all.every(({ status }) => status === 'COMPLETED')) return;
					await sleep(LOOK_EVERY_MS);
				}
			},
			async check(run) {
				const rows = outputOf(run, 'Side by Side').map(({ json }) => json as unknown as Row);
				const lines = rows.map(
					({ name, sent, delivered, readRate }) =>
						`${name}  sent ${sent}, delivered ${delivered}, read rate ${readRate}`,
				);
				const failures: string[] = [];
				const all = await broadcasts(service);
				if (new Set(all.map(({ templateName }) => templateName)).size !== 2)
					failures.push('Expected two broadcasts with different templates');
				if (all.some(({ recipientCount }) => recipientCount !== 130))
					failures.push('Expected half of the 260 members for each template');
				if (rows.some(({ status, sent }) => status !== 'COMPLETED' || sent !== 130))
					failures.push('Expected the statistics of two broadcasts that have ended');
				if (rows.some(({ readRate, read, delivered }) => readRate !== rounded(read / delivered)))
					failures.push('Expected the read rate of both');
				const names = rows.map(({ name }) => name.slice(0, 10));
				if (names.join() !== 'Template A,Template B')
					failures.push(`Expected Template A beside Template B, got ${names.join()}`);
				return { lines, failures };
			},
		});
	},
};
