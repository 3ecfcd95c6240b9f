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
	const links = new RegExp(String.raw`https://github\.com/[\w.-]+/${name}(?![\w-])`, 'g');
	return text.replaceAll(links, repository.url.replace(/\.git$/, ''));
}
