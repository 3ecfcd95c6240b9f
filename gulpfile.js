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

const NODE = 'nodes/ConversationalMessaging';

/**
 * Bundles Papa Parse. n8n allows no timers, no console and no streams in a package: the parts of Papa Parse that use
 * them, for workers and downloads in a browser, are never called here.
 */
async function bundlePapaParse() {
	await bundle('api/files/papaparse', {
		// Not the minified file for browsers: n8n reviews what is published.
		mainFields: ['main'],
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

/** Bundles what is used of libphonenumber-js: as a CommonJS module, it would be all of it, twice the size. */
async function bundleLibphonenumber() {
	await bundle('phone/libphonenumber', { conditions: ['import'] });
}

/** Bundles a library into the only file that imports it. */
async function bundle(file, options) {
	await build({
		entryPoints: [`${NODE}/${file}.ts`],
		outfile: `dist/${NODE}/${file}.js`,
		allowOverwrite: true,
		bundle: true,
		format: 'cjs',
		target: 'es2019',
		legalComments: 'inline',
		...options,
	});
}

exports.default = series(removeUnpublished, bundlePapaParse, bundleLibphonenumber);
