/** The steps of a task. If a step fails, the process ends. */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import util from 'node:util';
import { install } from './install.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const PATH = `${join(ROOT, 'node_modules/.bin')}${delimiter}${process.env.PATH}`;
const ENV = { ...process.env, PATH };
/** CI stops the tools from drawing animations. npm has already printed its notices about its settings. */
const QUIET = { ...ENV, CI: 'true', npm_config_loglevel: 'error' };

export function installTools() {
	install(ROOT, 'the development tools');
}

/** n8n's own nodes, for the benchmarks only, because they are large. */
export function installReference() {
	install(join(ROOT, 'tools/bench/reference'), "n8n's own nodes to compare with (800 MB)");
}

/** Runs a script of package.json. What it prints is shown only if it fails or prints a warning. */
export async function runScript(name) {
	const code = await runStep(name, [`npm run --silent ${name}`]);
	if (code !== 0) process.exit(code);
}

/**
 * Runs steps that do not depend on each other, as many at a time as there are processor cores, and each one to its end.
 *
 * @param steps the commands of each step, by its name
 * @returns the names of those that failed, in their order
 */
export async function runSideBySide(steps) {
	const waiting = Object.entries(steps);
	const failed = new Set();
	const worker = async () => {
		for (let step = waiting.shift(); step; step = waiting.shift())
			if ((await runStep(...step)) !== 0) failed.add(step[0]);
	};
	await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, worker));
	return Object.keys(steps).filter((name) => failed.has(name));
}

/** Runs the commands of a step, up to the first that fails. @returns its exit code */
async function runStep(name, commands) {
	const started = Date.now();
	const chunks = [];
	let code = 0;
	for (const command of commands) {
		const step = start(command, [], { env: QUIET, shell: true });
		for (const stream of [step.stdout, step.stderr])
			stream.on('data', (chunk) => chunks.push(chunk));
		code ||= await exitCode(step);
		if (code !== 0) break;
	}
	const seconds = Math.round((Date.now() - started) / 1000);
	console.log(`${name} … ${code === 0 ? 'done' : 'failed'}, ${seconds} s`);
	const output = util.stripVTControlCharacters(Buffer.concat(chunks).toString()).trim();
	if (output && (code !== 0 || hasWarning(output))) console.error(`\n${output}\n`);
	return code;
}

/**
 * "0 warnings" does not count. On Node.js 20, which n8n supports, the contract's linter announces in every run that it
 * will drop it.
 */
function hasWarning(output) {
	return /warn|deprecat/i.test(
		output.replace(/\b0 warnings?\b|Deprecation warning: Node\.js.*/gi, ''),
	);
}

/** Runs a command with this process's terminal, and ends this process with its exit code. */
export async function runCommand(program, ...args) {
	process.exit(await run(program, ...args));
}

/** Runs a command with this process's terminal. @returns its exit code */
export async function run(program, ...args) {
	const command = start(program, args, { stdio: 'inherit' });
	// A terminal sends Ctrl+C to the command too. A signal sent to this process only is meant for the command.
	process.on('SIGINT', () => {});
	for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => command.kill(signal));
	return await exitCode(command);
}

function start(program, args, options) {
	return spawn(program, args, {
		cwd: ROOT,
		env: ENV,
		shell: process.platform === 'win32',
		...options,
	});
}

function exitCode(child) {
	return new Promise((resolve) => {
		child.on('close', (code, signal) => resolve(signal ? 1 : code));
		child.on('error', ({ message }) => {
			console.error(message);
			resolve(1);
		});
	});
}
