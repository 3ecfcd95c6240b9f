/**
 * How the tests start n8n: the one that `installN8n` installs from npm, or the image in `N8N_IMAGE`, in a container of
 * Docker or Podman. From version 3 on, n8n is published as an image only.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { N8N, NODE } from './n8n.mts';

/** A program to start, and how to end what it leaves behind. */
interface N8nCommand {
	program: string;
	args: string[];
	env: NodeJS.ProcessEnv;
	/** Ends the container at once and removes it: to kill its client would not end it. */
	end?: { program: string; args: string[] };
}

interface Start {
	/** "start" or "worker": n8n's own command. */
	action: 'start' | 'worker';
	/** n8n's data, and this package: the container has it under the same path. */
	folder: string;
	/** n8n's environment variables. */
	env: NodeJS.ProcessEnv;
	/** The name of the container; unique on this machine. */
	name: string;
}

interface Machine {
	/** The programs that run containers, in the order in which they are tried. */
	has: (program: string) => boolean;
	user: { uid: number; gid: number };
	env: NodeJS.ProcessEnv;
}

const thisMachine: Machine = {
	has: (program) =>
		(process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program))),
	user: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
	env: process.env,
};

/** The image to run, as in `N8N_IMAGE=docker.n8n.io/n8nio/n8n:3.0.0`; undefined to use n8n from npm. */
export const n8nImage = (env = process.env): string | undefined => env.N8N_IMAGE || undefined;

/** @throws if an image is set and neither Docker nor Podman is installed */
export function n8nCommand(start: Start, machine: Machine = thisMachine): N8nCommand {
	const image = n8nImage(machine.env);
	if (image === undefined) return { program: NODE, args: [N8N, start.action], env: start.env };
	const program = ['docker', 'podman'].find((name) => machine.has(name));
	if (!program) {
		throw new Error(
			'N8N_IMAGE is set, but neither docker nor podman was found. Install one, or unset N8N_IMAGE to use n8n from npm.',
		);
	}
	return {
		program,
		args: containerArgs(program, image, start, machine.user),
		// The client finds its own settings with these.
		env: { ...machine.env, ...start.env, PATH: machine.env.PATH, HOME: machine.env.HOME },
		end: { program, args: ['rm', '--force', start.name] },
	};
}

/** Variables that are about this machine, not about n8n. */
const NOT_FOR_CONTAINERS = ['PATH', 'HOME'];

function containerArgs(
	program: string,
	image: string,
	{ action, folder, env, name }: Start,
	{ uid, gid }: Machine['user'],
): string[] {
	const names = Object.keys(env).filter((key) => !NOT_FOR_CONTAINERS.includes(key));
	return [
		'run',
		...['--name', name],
		// The messaging service, the databases and the browser are on this machine's loopback.
		'--network=host',
		// The files belong to whoever runs the tests, who removes them afterwards.
		`--user=${uid}:${gid}`,
		...(program === 'podman' && uid !== 0 ? ['--userns=keep-id'] : []),
		...['--volume', `${folder}:${folder}`],
		// Without values: they are read from the client's environment, so that no list of processes shows them.
		...names.flatMap((key) => ['--env', key]),
		image,
		action,
	];
}
