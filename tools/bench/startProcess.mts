/** Loads the package as n8n does at its start, in a separate process, and reports what that takes. */
import { PackageDirectoryLoader } from 'n8n-core';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

export interface Start {
	files: number;
	/** CPU time. */
	ms: number;
	heapKb: number;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const { cache } = createRequire(import.meta.url);
global.gc?.();
const before = process.memoryUsage().heapUsed;
const started = process.cpuUsage();
await new PackageDirectoryLoader(root).loadAll();
const { user, system } = process.cpuUsage(started);
global.gc?.();
const start: Start = {
	files: Object.keys(cache).filter((path) => path.startsWith(`${root}dist/`)).length,
	ms: (user + system) / 1_000,
	heapKb: (process.memoryUsage().heapUsed - before) / 1024,
};
process.send?.(start);
process.disconnect();
