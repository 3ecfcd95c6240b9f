const { readdir, readFile, rm } = require('node:fs/promises');
const { build } = require('esbuild');
const { series } = require('gulp');

const PUBLISHED = ['credentials', 'nodes', 'package.json'];

/**
 * Removes from dist/ what the package does not publish: `n8n-node build` copies every image of the repository there,
 * including those of docs/ and of nested node_modules.
 */
async function removeUnpublished() {
	const others = (await readdir('dist')).filter((name) => !PUBLISHED.includes(name));
	await Promise.all(others.map((name) => rm(`dist/${name}`, { recursive: true })));
}

/** The only file that imports a library. */
const PAPA_PARSE = 'dist/nodes/ConversationalMessaging/api/files/papaparse.js';

/**
 * Bundles Papa Parse. n8n allows no timers, no console and no streams in a package: the parts of Papa Parse that use
 * them, for workers and downloads in a browser, are never called here.
 */
async function bundlePapaParse() {
	await build({
		entryPoints: [PAPA_PARSE],
		outfile: PAPA_PARSE,
		allowOverwrite: true,
		bundle: true,
		// Not the minified file for browsers: n8n reviews what is published.
		mainFields: ['main'],
		format: 'cjs',
		target: 'es2019',
		legalComments: 'inline',
		drop: ['console'],
		define: { setTimeout: 'undefined' },
		plugins: [
			{
				name: 'in linear time',
				setup({ onLoad }) {
					onLoad({ filter: /[\\/]papaparse[\\/]papaparse\.js$/ }, async ({ path }) => ({
						contents: inLinearTime(await readFile(path, 'utf8')),
					}));
				},
			},
			{
				name: 'without streams',
				setup({ onResolve, onLoad }) {
					onResolve({ filter: /^stream$/ }, () => ({ path: 'stream', namespace: 'empty' }));
					onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: '' }));
				},
			},
		],
	});
}

/**
 * Papa Parse 5.7 trims all that follows each stray quote of a cell, up to the next separator: many quotes before many
 * spaces take minutes. Looking for the first character that is no space gives the same answer and ends there.
 */
function inLinearTime(source) {
	const slow = "textBetweenClosingQuoteAndIndex.trim() === ''";
	if (source.split(slow).length !== 2)
		throw new Error(
			'Papa Parse has changed: check in gulpfile.js whether it still needs the replacement',
		);
	return source.replace(slow, '!/\\S/.test(textBetweenClosingQuoteAndIndex)');
}

exports.default = series(removeUnpublished, bundlePapaParse);
