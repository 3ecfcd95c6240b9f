/**
 * What the package costs n8n: to load it at n8n's start, and CPU time per request, compared with n8n's own helper, which
 * this package calls too, and with n8n's HTTP Request. Each in processes of their own, in turn.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ManyItems } from './itemsProcess.mts';
import { median, progress, report } from './report.mts';
import { startService } from './service.mts';
import type { Start } from './startProcess.mts';

const ROUNDS = 3;
const REQUESTS = 2_000;

/** The message of a script, run in a process of its own. */
async function inProcess<T>(script: string, ...args: string[]): Promise<T> {
	const execArgv = ['--import', 'tsx', '--expose-gc'];
	const child = fork(fileURLToPath(new URL(script, import.meta.url)), args, { execArgv });
	// A process can end before its message has arrived.
	const failed = new Promise<never>((_resolve, reject) => {
		child.once('exit', (code) => {
			if (code !== 0) reject(new Error(`${script} ${args.slice(2).join(' ')} did not succeed`));
		});
	});
	const [message] = (await Promise.race([once(child, 'message'), failed])) as [T];
	return message;
}

const WAYS = {
	helper: "n8n's own helper, called by a node that reads three expressions",
	update: 'Contact → Update',
	request: "n8n's HTTP Request with the same update",
} as const;

const service = await startService({ contacts: 2_500, tickets: 0, rateLimit: { requests: 0 } });
const starts: Start[] = [];
const costs: Record<keyof typeof WAYS, number[]> = { helper: [], update: [], request: [] };
for (let round = 1; round <= ROUNDS; round++) {
	progress(`round ${round} of ${ROUNDS}`);
	starts.push(await inProcess<Start>('startProcess.mts'));
	for (const way of Object.keys(WAYS) as (keyof typeof WAYS)[]) {
		const { baseUrl, token } = service;
		const args = [baseUrl, token, way, String(REQUESTS)];
		const { ms, failures } = await inProcess<ManyItems>('itemsProcess.mts', ...args);
		if (failures > 0) throw new Error(`${failures} requests of ${way} did not succeed`);
		costs[way].push(ms / REQUESTS);
	}
}
service.close();

const of = (what: keyof Start) => median(starts.map((start) => start[what]));
report(`To load the package, median of ${ROUNDS}`, [
	['files', String(of('files'))],
	['CPU time', `${of('ms').toFixed(0)} ms`],
	['heap', `${(of('heapKb') / 1024).toFixed(1)} MB`],
]);
const each = (way: keyof typeof WAYS) => median(costs[way]);
report(
	`CPU time of a request, median of ${ROUNDS} times ${REQUESTS} requests`,
	(Object.keys(WAYS) as (keyof typeof WAYS)[]).map((way) => [
		WAYS[way],
		`${each(way).toFixed(2)} ms`,
		`${(each(way) / each('helper')).toFixed(2)} times the helper`,
	]),
);
process.exit(each('update') <= each('request') ? 0 : 1);
