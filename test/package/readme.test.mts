import { readFileSync } from 'node:fs';

const readme = readFileSync('README.md', 'utf8');

/** Lines of a README that a window shows without scrolling. */
const FIRST_SCREEN = 32;

test.each(['npm run demo', 'npm test'])('%s is on the first screen', (command) => {
	expect(readme.split('\n').slice(0, FIRST_SCREEN).join('\n')).toContain(command);
});

/** As in the README of n8n's template, by which packages are reviewed. */
test.each([
	'Installation',
	'Operations',
	'Credentials',
	'Compatibility',
	'Usage',
	'Resources',
	'Version history',
])('the README has the section %s', (section) => {
	expect(readme.split('\n')).toContain(`## ${section}`);
});
