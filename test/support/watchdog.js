/**
 * Ends a process of Jest whose test blocks it for as long as a test may take. Jest's own time limit is a timer of the same
 * process: an endless loop never lets it fire. Jest reports the file as failed, and this says which test it was.
 */
const { writeSync } = require('node:fs');
const { isMainThread, parentPort, Worker, workerData } = require('node:worker_threads');

const BEAT_MS = 1_000;

/**
 * @param limitMs how long a process may be blocked
 * @returns a function that takes which test runs now
 */
function startWatchdog(limitMs) {
	const thread = new Worker(__filename, { workerData: limitMs });
	thread.unref();
	setInterval(() => thread.postMessage(undefined), BEAT_MS).unref();
	return (running) => thread.postMessage(running);
}

function watch(limitMs) {
	let running;
	let missed = 0;
	parentPort.on('message', (test) => {
		running = test ?? running;
		missed = 0;
	});
	// Counted, because no beats are missed while the whole machine sleeps.
	setInterval(() => {
		if (++missed * BEAT_MS < limitMs) return;
		const seconds = Math.round(limitMs / 1_000);
		writeSync(2, `\nBlocked for ${seconds} s, probably by an endless loop: ${running}\n\n`);
		process.kill(process.pid, 'SIGKILL');
	}, BEAT_MS);
}

if (isMainThread) module.exports = { startWatchdog };
else watch(workerData);
