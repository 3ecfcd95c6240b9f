/**
 * Checks source and build with the rules that n8n applies to published packages. n8n's own command accepts only the
 * name of a published package, and exits with 0 whatever it finds.
 */
import { fileURLToPath } from 'node:url';
import {
	analyzePackage,
	SOURCE_FILE_PATTERNS,
} from '@n8n/scan-community-package/scanner/scanner.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const legs = [
	['source', root, SOURCE_FILE_PATTERNS],
	['build', `${root}dist`, ['**/*.js']],
];

for (const [name, directory, patterns] of legs) {
	const { passed, message, details } = await analyzePackage(directory, patterns);
	if (!passed || message) {
		console.error(`The ${name} does not pass n8n's scan: ${message}\n${details ?? ''}`);
		process.exitCode = 1;
	} else {
		console.log(`The ${name} passes n8n's scan.`);
	}
}
process.exit();
