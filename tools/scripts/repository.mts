/** What package.json says about the package and its repository. */
export interface Manifest {
	name: string;
	repository: { url: string };
}

/**
 * The text with the repository of package.json in every link to the package on GitHub: package.json is where the
 * repository is set, and `npm run docs` writes it everywhere else.
 */
export function withRepository(text: string, { name, repository }: Manifest): string {
	const links = new RegExp(
		String.raw`https://(github|raw\.githubusercontent)\.com/[\w.-]+/${name}(?![\w-])`,
		'g',
	);
	const address = repository.url.replace(/\.git$/, '');
	return text.replaceAll(links, (_link, host: string) =>
		host === 'github' ? address : address.replace('github.com', `${host}.com`),
	);
}
