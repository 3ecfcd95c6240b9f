/**
 * Everything that `npm test` checks before it runs the tests: side by side, and all to their end, so that one run shows
 * everything that is wrong. Each leaves the processor to the others while it waits for the disk.
 */
import './nodeVersion.mjs';
import compile, { isBuilt } from './compile.mjs';
import { installTools, runSideBySide } from './steps.mjs';

/** What is checked, by the command that does it. The slowest come first. */
const CHECKS = {
	'types and strict rules': ['oxlint'],
	"build and n8n's scan": ['npm run --silent build', 'node tools/scripts/scan.mjs'],
	"n8n's rules": ['n8n-node lint'],
	formatting: ['prettier --check --cache --cache-strategy content --log-level warn .'],
	'generated docs and links': ['tsx tools/scripts/docs.mts --check'],
	contract: ['redocly lint --config sandbox/redocly.yaml'],
};

(async () => {
	installTools();
	if (isBuilt()) {
		await compile();
		CHECKS["build and n8n's scan"].shift();
	}
	await runSideBySide(CHECKS);
})();
