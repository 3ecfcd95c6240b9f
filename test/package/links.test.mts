import { brokenLinks } from '../../tools/scripts/links.mts';
import { withRepository } from '../../tools/scripts/repository.mts';

const GUIDE = ['# Guide', '## Wait for a reply', '## Wait for a reply', '## `npm test`: all'].join(
	'\n',
);

/** The broken links of a README with this text, beside docs/GUIDE.md and docs/images/picture.png. */
const brokenIn = (text: string): string[] => {
	const documents = new Map([
		['README.md', text],
		['docs/GUIDE.md', GUIDE],
	]);
	const files = [...documents.keys(), 'docs/images/picture.png', 'examples'];
	return brokenLinks(documents, (path) => files.includes(path));
};

test.each([
	['a document', '[guide](docs/GUIDE.md)'],
	['a folder', '[examples](examples)'],
	['a section of a document', '[wait](docs/GUIDE.md#wait-for-a-reply)'],
	['the second section of that name', '[wait](docs/GUIDE.md#wait-for-a-reply-1)'],
	['a section whose heading has code and a colon', '[test](docs/GUIDE.md#npm-test-all)'],
	['a section of the same document', '## Trigger\n[trigger](#trigger)'],
	['a picture', '![picture](docs/images/picture.png)'],
	['a picture in HTML', '<img src="docs/images/picture.png" alt="">'],
	['another site', '[n8n](https://docs.n8n.io/nowhere#nothing)'],
])('a link to %s works', (_target, text) => {
	expect(brokenIn(text)).toStrictEqual([]);
});

test.each([
	['a document that does not exist', '[usage](docs/USAGE.md)', 'docs/USAGE.md'],
	['a section that does not exist', '[send](docs/GUIDE.md#send)', 'docs/GUIDE.md#send'],
	['a heading in a code block', '```\n## Send\n```\n[send](#send)', '#send'],
	['a picture that does not exist', '![a](docs/images/a.png)', 'docs/images/a.png'],
])('a link to %s is reported', (_target, text, link) => {
	expect(brokenIn(text)).toStrictEqual([`README.md: ${link}`]);
});

test('a link is relative to its document', () => {
	const documents = new Map([['docs/jobs/route.md', '[a](../USAGE.md) [b](docs/USAGE.md)']]);
	expect(brokenLinks(documents, (path) => path === 'docs/USAGE.md')).toStrictEqual([
		'docs/jobs/route.md: docs/USAGE.md',
	]);
});

test('links to the repository of this package, and no others, become the one of package.json', () => {
	const manifest = {
		name: 'n8n-nodes-x',
		repository: { url: 'https://github.com/ada/n8n-nodes-x.git' },
	};
	const others = 'https://github.com/ada/n8n-nodes-xy https://github.com/n8n-io/n8n';
	expect(
		withRepository(
			`https://github.com/example/n8n-nodes-x.git (https://github.com/a.b-c/n8n-nodes-x#readme) https://raw.githubusercontent.com/example/n8n-nodes-x/main/a.json ${others}`,
			manifest,
		),
	).toBe(
		`https://github.com/ada/n8n-nodes-x.git (https://github.com/ada/n8n-nodes-x#readme) https://raw.githubusercontent.com/ada/n8n-nodes-x/main/a.json ${others}`,
	);
});
