/**
 * Checks whether this commit can be released: `npm run release` checks, then creates the tag; the workflow
 * publish.yml checks the tag that started it: `node tools/scripts/release.mjs 1.2.3`. Needs Node.js and Git, and nothing
 * that npm installs.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const [givenTag] = process.argv.slice(2);
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const { version } = manifest;

const git = (...args) => spawnSync('git', args, { encoding: 'utf8' });
const commitOf = (name) =>
	git('rev-parse', '--verify', '--quiet', `${name}^{commit}`).stdout.trim();

/** Each section of CHANGELOG.md, from its heading without "## ". */
const sections = readFileSync('CHANGELOG.md', 'utf8')
	.replaceAll('\r\n', '\n')
	.split(/^## /m)
	.slice(1);
const sectionOf = (heading) => sections.find((section) => heading.test(section));
const hasEntries = (section) => /^- ./m.test(section);

/** What has to change before the release, a sentence or two each. */
function findings() {
	const found = [];
	const escaped = version.replaceAll('.', '\\.');
	const released = sectionOf(new RegExp(`^\\[${escaped}\\] - \\d{4}-\\d\\d-\\d\\d\\n`));
	if (!released)
		found.push(
			`CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD". Add it, or correct the version in package.json.`,
		);
	else if (!hasEntries(released)) found.push(`CHANGELOG.md lists nothing under [${version}].`);
	if (hasEntries(sectionOf(/^\[Unreleased\]\n/) ?? ''))
		found.push(`CHANGELOG.md still lists changes under Unreleased. Move them to [${version}].`);

	// npm would ask for another tag than "latest", which publish.yml does not set.
	if (!/^\d+\.\d+\.\d+$/.test(version))
		found.push(
			`The version ${version} is no release. The workflow publishes versions such as 1.2.0 only; correct it in package.json.`,
		);

	const placeholders = [
		['repository.url', manifest.repository.url, /\bgithub\.com\/example\//],
		['author.email', manifest.author.email, /@example\.(com|net|org)$/],
	];
	for (const [name, value, pattern] of placeholders)
		if (pattern.test(value))
			found.push(
				`package.json has a placeholder in ${name}: ${value}. Enter your own, then run npm run docs.`,
			);

	if (git('merge-base', '--is-ancestor', 'HEAD', 'origin/main').status !== 0)
		found.push('This commit is not on origin/main. Merge it, then run git fetch.');
	if (givenTag === undefined) {
		if (git('status', '--porcelain').stdout !== '')
			found.push('There are changes that are not committed. Commit them, or undo them.');
		if (commitOf(`refs/tags/${version}`))
			found.push(
				`The tag ${version} exists. Raise the version: npm version --no-git-tag-version …`,
			);
	} else {
		if (givenTag !== version)
			found.push(
				`The tag is ${givenTag}, and the version in package.json is ${version}. Delete the tag, and run npm run release.`,
			);
		if (commitOf(`refs/tags/${givenTag}`) !== commitOf('HEAD'))
			found.push(`The tag ${givenTag} is on another commit than the one checked out.`);
	}
	return found;
}

const found = findings();
for (const finding of found) console.error(finding);
if (found.length > 0) process.exit(1);
if (givenTag === undefined) {
	const { status, stderr } = git('tag', '--annotate', '--message', version, version);
	if (status !== 0) {
		console.error(stderr.trim());
		process.exit(1);
	}
	console.log(`Created the tag ${version}. To publish it: git push origin ${version}`);
} else console.log(`${version} can be published.`);
