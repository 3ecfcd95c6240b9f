/** From 1,000 to 100,000 items: the cost per item stays the same. Each run in a separate process. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ManyItems } from './itemsProcess.mts';
import { progress, report } from './report.mts';
import { startService } from './service.mts';

const COUNTS = [1_000, 10_000, 100_000];
const execArgv = ['--import', 'tsx', '--expose-gc'];
const script = fileURLToPath(new URL('itemsProcess.mts', import.meta.url));

async function measure(what: string, count: number): Promise<ManyItems> {
	const service = await startService({
		contacts: 2_500,
		tickets: 0,
		rateLimit: { requests: 0 },
	});
	const { baseUrl, token } = service;
	const child = fork(script, [baseUrl, token, what, String(count)], { execArgv });
	const [result] = (await Promise.race([
		once(child, 'message'),
		once(child, 'exit').then(() => {
			throw new Error(`${what} of ${count} items did not succeed`);
		}),
	])) as [ManyItems];
	service.close();
	return result;
}

/**
 * Returns whether time and memory per item stay constant, at most twice as much for ten times as many items, and an
 * update costs no more than with n8n's HTTP Request.
 */
export async function measureScale(): Promise<boolean> {
	const rows: string[][] = [];
	let meetsTarget = true;
	const costs: Record<string, number> = {};
	for (const [what, name] of [
		['import', 'Contact Import → Start, from input items'],
		['update', 'Contact → Update'],
		['request', "n8n's HTTP Request with the same update"],
		['nothing', 'a node that reads three expressions and does nothing'],
	] as const) {
		let before: ManyItems | undefined;
		// HTTP Request sends all items at once. 100,000 would take minutes and show nothing more.
		const counts = what === 'request' ? COUNTS.slice(0, 2) : COUNTS;
		for (const count of counts) {
			progress(`${name}, ${count.toLocaleString('en-US')} items`);
			const { ms, kb, failures } = await measure(what, count);
			const each = { ms: ms / count, kb: kb / count, failures };
			// The smallest run is mostly fixed cost.
			if (before && count > COUNTS[1]!)
				meetsTarget &&= each.ms < 2 * before.ms && each.kb < 2 * before.kb;
			meetsTarget &&= failures === 0;
			before = each;
			if (count === COUNTS[1]) costs[what] = each.ms;
			rows.push([
				name,
				count.toLocaleString('en-US'),
				`${(ms / 1_000).toFixed(1)} s`,
				`${each.ms.toFixed(2)} ms per item`,
				`${each.kb.toFixed(1)} KB per item`,
				failures === 0 ? '' : `${failures} failures`,
			]);
		}
	}
	report('What an item costs', rows);
	return meetsTarget && (costs.update ?? Infinity) <= (costs.request ?? 0);
}
