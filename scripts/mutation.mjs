/**
 * `npm run test:mutation [FOLDER]` puts faults into the code, one at a time, and lists those that no test notices.
 * FOLDER is a folder or a file of nodes/ConversationalMessaging/, e.g. `api/retry`.
 */
import './nodeVersion.mjs';
import { existsSync } from 'node:fs';
import { installMutationTools, installTools, runCommand } from './steps.mjs';

/** The folders whose tests are fast enough to run for every fault. */
const FOLDERS = ['api', 'parameters', 'resources', 'trigger'];

const path = (process.argv[2] ?? 'api').replace(/\.ts$|\/$/g, '');
const place = `nodes/ConversationalMessaging/${path}`;

if (FOLDERS.includes(path.split('/')[0]) && (existsSync(place) || existsSync(`${place}.ts`))) {
	installTools();
	installMutationTools();
	process.env.MUTATED_PATH = path;
	const stryker = 'test/mutation/node_modules/@stryker-mutator/core/bin/stryker.js';
	runCommand('node', stryker, 'run', 'test/mutation/stryker.config.mjs');
} else {
	console.error(
		`There is no code to change at "${path}". Enter ${FOLDERS.join(', ')}, or a folder or file in one of them.`,
	);
	process.exitCode = 1;
}
