const { readdir, rm } = require('node:fs/promises');
const { build } = require('esbuild');
const { series } = require('gulp');

const CSV = 'dist/nodes/ConversationalMessaging/api/csv.js';

/**
 * Puts Papa Parse into the one file that uses it: a package for n8n has no run-time dependencies.
 *
 * Three things in Papa Parse may not stand in such a package, though nothing here calls them: its reader of Node
 * streams, its timer, and its log.
 */
async function bundle() {
	await build({
		entryPoints: [CSV],
		outfile: CSV,
		allowOverwrite: true,
		bundle: true,
		platform: 'node',
		format: 'cjs',
		target: 'es2019',
		external: ['n8n-workflow'],
		drop: ['console'],
		define: { setTimeout: 'later' },
		banner: { js: 'const later = (callback) => void Promise.resolve().then(callback);' },
		legalComments: 'inline',
		plugins: [
			{
				name: 'no-stream',
				setup({ onResolve, onLoad }) {
					onResolve({ filter: /^stream$/ }, () => ({ path: 'stream', namespace: 'stub' }));
					onLoad({ filter: /.*/, namespace: 'stub' }, () => ({
						contents: 'exports.Duplex = class {};',
					}));
				},
			},
		],
	});
}

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

exports.default = series(bundle, tidy);
