/**
 * Jest's runner for this repository (its option `runner`): test files run in plain Node.js processes, several in each.
 *
 * Jest's own runner loads every library anew for each test file, and n8n's engine takes longer to load than most files take
 * to run. Here, a process loads libraries once, and the files of this repository anew for each test file: see worker.js.
 */
const { Worker } = require('jest-worker');

/** Some test files leave a large heap, which makes the rest slower: a larger process is replaced. */
const MAX_IDLE_BYTES = 600e6;

module.exports = class {
	constructor(globalConfig) {
		this.globalConfig = globalConfig;
	}

	async runTests(tests, watcher, onStart, onResult, onFailure) {
		const { maxWorkers, silent, testNamePattern, expand } = this.globalConfig;
		const pool = new Worker(require.resolve('./worker.js'), {
			exposedMethods: ['run'],
			numWorkers: maxWorkers,
			idleMemoryLimit: MAX_IDLE_BYTES,
			maxRetries: 3,
			forkOptions: { execArgv: ['--enable-source-maps'] },
		});
		if (!silent) pool.getStdout()?.pipe(process.stdout);
		pool.getStderr()?.pipe(process.stderr);
		const waiting = [...tests];
		const runNext = async () => {
			for (let test = waiting.shift(); test && !watcher.isInterrupted(); test = waiting.shift()) {
				await onStart(test);
				const settings = { config: test.context.config, expand, testNamePattern };
				await pool.run(test.path, settings).then(
					(result) => onResult(test, result),
					(error) => onFailure(test, error),
				);
			}
		};
		await Promise.all(Array.from({ length: maxWorkers }, runNext));
		await pool.end();
	}
};
