/**
 * Runs a task in a fresh clone as well: `node tools/scripts/task.mjs [SCRIPT…] [-- COMMAND…]` installs the development tools
 * if they are missing, runs the named scripts of package.json one after another, and then the command.
 */
import './nodeVersion.mjs';
import { installTools, runCommand, runScript } from './steps.mjs';

const args = process.argv.slice(2);
const end = args.includes('--') ? args.indexOf('--') : args.length;
const [scripts, command] = [args.slice(0, end), args.slice(end + 1)];

(async () => {
	installTools();
	for (const script of scripts) await runScript(script);
	if (command.length > 0) await runCommand(...command);
})();
