const { readdir, rm } = require('node:fs/promises');

/**
 * Takes out of dist/ what does not belong to the package: the build copies every picture of the repository there,
 * also those of documents and of nested node_modules.
 */
async function tidy() {
	const strangers = (await readdir('dist')).filter(
		(name) => !['credentials', 'nodes', 'package.json'].includes(name),
	);
	await Promise.all(strangers.map((name) => rm(`dist/${name}`, { recursive: true })));
}

exports.default = tidy;
