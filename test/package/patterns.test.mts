/** The regular expressions of the package, on long texts that make slow ones start over at every character. */
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { REPEATED } from '../support/hostileTexts.mts';
import { filesIn } from './filesIn.mts';
import { computedMs } from '../support/computedMs.mts';

/** Patterns that are slow on long texts, and only ever meet short ones. */
const FOR_SHORT_TEXTS = [
	// Applied to at most 400 characters, by `shortText`.
	String.raw`/[^\s"',:;()[\]{}]*$/`,
];

/** The patterns that are written in a source, and in n8n's expressions in its texts. */
function patternsIn(source: string): string[] {
	const found: string[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isRegularExpressionLiteral(node)) found.push(node.text);
		if (ts.isStringLiteralLike(node))
			for (const [, code] of node.text.matchAll(/\{\{(.+?)\}\}/gs))
				found.push(...patternsIn(code!));
		ts.forEachChild(node, visit);
	};
	visit(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest));
	return found;
}

/** What a pattern contains between its operators: "<title" and ">" for `<title[^>]*>`. */
const partsOf = (pattern: string): string[] =>
	pattern.split(/[\\()|[\]{}^$*+?./]+/).filter((part) => part !== '');

const LENGTH = 200_000;

/** Linear: a few milliseconds. Quadratic: several seconds. */
const MOST_MS = 1_000;

/** What a text repeats, and the text. It ends with what no pattern expects. */
const longText = (repeated: string): [repeated: string, text: string] => [
	repeated,
	`${repeated.repeat(LENGTH / repeated.length)}\u0001 \u0001`,
];

/** For all patterns: making a text takes as long as most patterns take to read it. */
const TEXTS = REPEATED.map(longText);

/** A text on which a pattern is slow: what it repeats. */
function slowOn(pattern: string): string | undefined {
	const end = pattern.lastIndexOf('/');
	const regExp = new RegExp(pattern.slice(1, end), pattern.slice(end + 1));
	return [...TEXTS, ...partsOf(pattern).map(longText)].find(([, text]) => {
		const started = computedMs();
		text.replace(regExp, '');
		return computedMs() - started > MOST_MS;
	})?.[0];
}

const all = ['nodes', 'credentials']
	.flatMap(filesIn)
	.filter((file) => file.endsWith('.ts'))
	.flatMap((file) => patternsIn(readFileSync(file, 'utf8')));
const patterns = [...new Set(all)].filter((pattern) => !FOR_SHORT_TEXTS.includes(pattern));

test('every pattern takes a time that grows with the length of its text', () => {
	expect(patterns.length).toBeGreaterThan(100);
	const slow = patterns.map((pattern) => [pattern, slowOn(pattern)]);
	expect(slow.filter(([, repeated]) => repeated !== undefined)).toStrictEqual([]);
});
