/**
 * A file of a million rows, 100 MB, into n8n's storage and out of it: this package compared with n8n's HTTP Request
 * node, each transfer in a separate process.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Transfer } from './csvProcess.mts';
import { chart } from './chart.mts';
import { median, progress, report } from './report.mts';

const ROUNDS = 11;
const execArgv = ['--import', 'tsx', '--expose-gc'];
const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

const service = fork(path('csvService.mts'), { execArgv });
const [port] = (await once(service, 'message')) as [number];

async function transfer(direction: string, whose: string): Promise<Transfer> {
	const child = fork(path('csvProcess.mts'), [String(port), direction, whose], { execArgv });
	const [result] = (await Promise.race([
		once(child, 'message'),
		once(child, 'exit').then(() => {
			throw new Error(`${direction} by ${whose} did not succeed`);
		}),
	])) as [Transfer];
	return result;
}

interface Measured {
	fromPackage: Transfer[];
	fromHttpRequest: Transfer[];
	meetsTarget: boolean;
}

async function measure(direction: string): Promise<Measured> {
	const fromPackage: Transfer[] = [];
	const fromHttpRequest: Transfer[] = [];
	for (let round = 0; round < ROUNDS; round++) {
		progress(`${direction}, round ${round + 1} of ${ROUNDS}`);
		// Alternating, so that neither always runs right after the other.
		const order =
			round % 2 === 0
				? (['package', 'httpRequest'] as const)
				: (['httpRequest', 'package'] as const);
		for (const whose of order) {
			const result = await transfer(direction, whose);
			(whose === 'package' ? fromPackage : fromHttpRequest).push(result);
		}
	}
	const row = (name: string, results: Transfer[]) => [
		name,
		`${median(results.map(({ ms }) => ms)).toFixed(0)} ms`,
		`${median(results.map(({ mb }) => mb)).toFixed(0)} MB above idle`,
		`${((results[0]?.bytes ?? 0) / 1e6).toFixed(0)} MB of CSV`,
	];
	const ratio =
		median(fromPackage.map(({ ms }) => ms)) / median(fromHttpRequest.map(({ ms }) => ms));
	const memory = median(fromPackage.map(({ mb }) => mb));
	report(`${direction} of a million rows, median of ${ROUNDS}`, [
		row('this package', fromPackage),
		row('HTTP Request', fromHttpRequest),
		['time against HTTP Request', ratio.toFixed(2), 'at most 1.1', ''],
	]);
	return { fromPackage, fromHttpRequest, meetsTarget: ratio <= 1.1 && memory <= 64 };
}

const directions = [await measure('export'), await measure('import')];
service.kill();
const bars = (of: 'ms' | 'mb') =>
	(['fromPackage', 'fromHttpRequest'] as const).map((whose) => ({
		name: whose === 'fromPackage' ? 'this package' : 'HTTP Request',
		values: directions.map((results) => median(results[whose].map((result) => result[of]))),
	}));
const categories = ['export', 'import'];
chart('csv-time', { title: 'A million rows, 103 MB', unit: 'ms', categories, series: bars('ms') });
chart('csv-memory', { title: 'Memory above idle', unit: 'MB', categories, series: bars('mb') });
process.exit(directions.every(({ meetsTarget }) => meetsTarget) ? 0 : 1);
