const { readdir, rm } = require('node:fs/promises');

const PUBLISHED = ['credentials', 'nodes', 'package.json'];

/**
 * Removes from dist/ what the package does not publish: `n8n-node build` copies every image of the repository there,
 * including those of docs/ and of nested node_modules.
 */
async function removeUnpublished() {
	const others = (await readdir('dist')).filter((name) => !PUBLISHED.includes(name));
	await Promise.all(others.map((name) => rm(`dist/${name}`, { recursive: true })));
}

exports.default = removeUnpublished;
