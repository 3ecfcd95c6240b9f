/**
 * Everything that `npm test` checks before it runs the tests: side by side, and all to their end, so that one run shows
 * everything that is wrong. Each leaves the processor to the others while it waits for the disk.
 */
import './nodeVersion.mjs';
import compile, { isBuilt } from './compile.mjs';
import { installTools, runSideBySide } from './steps.mjs';

/** What is checked, by the command that does it. What takes seconds comes first, then the slowest. */
const CHECKS = {
	'generated docs, links and length of the README': ['tsx tools/scripts/docs.mts --check'],
	formatting: ['prettier --check --cache --cache-strategy content --log-level warn .'],
	contract: ['redocly lint --config sandbox/redocly.yaml'],
	'types and strict rules': ['oxlint'],
	"build and n8n's scan": ['npm run --silent build', 'node tools/scripts/scan.mjs'],
	"n8n's rules": ['n8n-node lint'],
};

(async () => {
	installTools();
	if (isBuilt()) {
		await compile();
		CHECKS["build and n8n's scan"].shift();
	}
	await runSideBySide(CHECKS);
})();
