/**
 * Runs a task in a fresh clone as well: `node scripts/task.mjs [SCRIPT…] [-- COMMAND…]` installs the development tools
 * if they are missing, runs the named scripts of package.json one after another, and then the command. Scripts that are
 * separated by commas run side by side.
 */
import './nodeVersion.mjs';
import { installTools, runCommand, runScript, runSideBySide } from './steps.mjs';

const args = process.argv.slice(2);
const end = args.includes('--') ? args.indexOf('--') : args.length;
const [scripts, command] = [args.slice(0, end), args.slice(end + 1)];

(async () => {
	installTools();
	for (const step of scripts) {
		const names = step.split(',');
		await (names.length > 1 ? runSideBySide(names) : runScript(step));
	}
	if (command.length > 0) await runCommand(...command);
})();
