import { posix } from 'node:path';

/**
 * The links of Markdown documents that lead nowhere, e.g. "README.md: docs/USAGE.md#filters". Links to other sites are
 * not followed.
 *
 * @param documents the text of each document, by its path in the repository
 * @param exists whether the repository has this file or folder
 */
export function brokenLinks(
	documents: ReadonlyMap<string, string>,
	exists: (path: string) => boolean,
): string[] {
	const anchors = new Map([...documents].map(([path, text]) => [path, anchorsOf(text)]));
	return [...documents].flatMap(([path, text]) =>
		linksOf(text)
			.filter((link) => {
				const [file = '', anchor] = link.split('#');
				const target = file === '' ? path : posix.join(posix.dirname(path), file);
				if (!exists(target)) return true;
				return anchor !== undefined && anchors.get(target)?.has(anchor) === false;
			})
			.map((link) => `${path}: ${link}`),
	);
}

/** The targets of links and pictures within the repository. */
function linksOf(text: string): string[] {
	return [...prose(text).matchAll(/\]\(([^)\s]+)\)|\b(?:src|href)="([^"]+)"/g)]
		.map(([, link, attribute]) => link ?? attribute ?? '')
		.filter((link) => !/^[a-z]+:/.test(link));
}

/** The anchor that GitHub gives to a heading. */
const anchorOf = (heading: string): string =>
	heading
		.trim()
		.toLowerCase()
		.replace(/[^\p{L}\p{N}\s_-]/gu, '')
		.replaceAll(' ', '-');

/** The anchors of headings; repeated headings are numbered. */
function anchorsOf(text: string): Set<string> {
	const anchors = new Set<string>();
	for (const [, heading = ''] of prose(text).matchAll(/^#{1,6} (.+)$/gm)) {
		const anchor = anchorOf(heading);
		let numbered = anchor;
		for (let count = 1; anchors.has(numbered); count++) numbered = `${anchor}-${count}`;
		anchors.add(numbered);
	}
	return anchors;
}

/** The text without its code blocks, which can contain brackets and number signs. */
const prose = (text: string): string => text.replace(/^```[\s\S]*?^```/gm, '');
