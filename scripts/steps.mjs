/** The steps of a task. If a step fails, the process ends. */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import util from 'node:util';
import { install } from './install.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BINARIES = join(ROOT, 'node_modules/.bin');

export function installTools() {
	install(ROOT, 'the development tools');
}

/** n8n's own nodes, for the benchmarks only, because they are large. */
export function installReference() {
	install(join(ROOT, 'bench/reference'), "n8n's own nodes to compare with (800 MB)");
}

/** The part of StrykerJS for the mutation tests only. */
export function installMutationTools() {
	install(join(ROOT, 'test/mutation'), 'the tool for mutation tests (26 MB)');
}

/** Runs a script of package.json. What it prints is shown only if it fails or prints a warning. */
export async function runScript(name) {
	process.stdout.write(`${name} … `);
	const { code, result, output } = await resultOf(name);
	console.log(result);
	if (output) console.error(`\n${output}\n`);
	if (code !== 0) process.exit(code);
}

/**
 * Runs scripts of package.json that do not depend on each other, as many at a time as there are processor cores. Each
 * one runs to its end, so that one run shows everything that fails.
 */
export async function runSideBySide(names) {
	const waiting = [...names];
	const codes = [];
	const worker = async () => {
		for (let name = waiting.shift(); name; name = waiting.shift()) {
			const { code, result, output } = await resultOf(name);
			console.log(`${name} … ${result}`);
			if (output) console.error(`\n${output}\n`);
			codes.push(code);
		}
	};
	await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, worker));
	const failed = codes.find((code) => code !== 0);
	if (failed !== undefined) process.exit(failed);
}

/** Runs a script of package.json. @returns its exit code, the end of its line, and what to show of its output */
async function resultOf(name) {
	const started = Date.now();
	// CI stops the tools from drawing animations. npm has already printed its notices about its settings.
	const env = { ...process.env, CI: 'true', npm_config_loglevel: 'error' };
	const script = start('npm', ['run', '--silent', name], { env });
	const chunks = [];
	for (const stream of [script.stdout, script.stderr])
		stream.on('data', (chunk) => chunks.push(chunk));
	const code = await exitCode(script);
	const result = `${code === 0 ? 'done' : 'failed'}, ${Math.round((Date.now() - started) / 1000)} s`;
	const output = util.stripVTControlCharacters(Buffer.concat(chunks).toString()).trim();
	return { code, result, output: code !== 0 || hasWarning(output) ? output : '' };
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
	const PATH = `${BINARIES}${delimiter}${process.env.PATH}`;
	const command = start(program, args, { stdio: 'inherit', env: { ...process.env, PATH } });
	// A terminal sends Ctrl+C to the command too. A signal sent to this process only is meant for the command.
	process.on('SIGINT', () => {});
	for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => command.kill(signal));
	process.exit(await exitCode(command));
}

/** Runs a command with this process's terminal. @returns its exit code */
export function tryCommand(variables, program, ...args) {
	const env = { ...process.env, ...variables, PATH: `${BINARIES}${delimiter}${process.env.PATH}` };
	return exitCode(start(program, args, { stdio: 'inherit', env }));
}

function start(program, args, options) {
	return spawn(program, args, { cwd: ROOT, shell: process.platform === 'win32', ...options });
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
