import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { STICKY_NOTE, type WorkflowFile } from '../engine/workflows.mts';
import { rawUrl, type Manifest } from './repository.mts';

/**
 * The README of the examples as a Markdown document: a section per workflow, from the yellow note on its canvas.
 *
 * @param files the workflows by their file names
 * @param root the folder of the repository
 */
export function examplesReadme(
	files: ReadonlyMap<string, WorkflowFile>,
	manifest: Manifest,
	root: string,
): string {
	return [
		'# Examples',
		'Written by `npm run docs`, from the yellow note of each workflow.',
		'To import a workflow, save its file, open an empty workflow in n8n and choose **⋯ → Import → From file** beside its name. **From URL** imports it with the link below its steps; n8n 3.0 no longer has this entry. If you already have a credential, n8n adds it to the nodes: check that it is the right one. n8n marks a node in red while a required field is empty, and does not publish the workflow until it is filled in.',
		...[...files].flatMap(([name, file]) => section(name, file, manifest, root)),
	].join('\n\n');
}

const PAGE = /\[Documentation\]\(https:\/\/\S+?\/blob\/main\/(\S+)\)/;

function section(name: string, file: WorkflowFile, manifest: Manifest, root: string): string[] {
	const picture = `docs/images/${name.replace(/json$/, 'webp')}`;
	const note = noteOf(file);
	const [, page = ''] = PAGE.exec(note) ?? [];
	const [about = '', steps = ''] = note.replace(PAGE, '').split(/^### Set up$/m);
	return [
		about.trim(),
		...(existsSync(join(root, picture)) ? [`![${file.name}](../${picture})`] : []),
		'To set it up:',
		steps.trim(),
		`[Documentation](../${page}) · [File](${name}) · ${rawUrl(`examples/${name}`, manifest)}`,
	];
}

/** The text of a workflow's yellow note, the only one without a color of its own. */
function noteOf({ nodes }: WorkflowFile): string {
	const note = nodes.find(
		({ type, parameters }) => type === STICKY_NOTE && parameters.color === undefined,
	);
	return note?.parameters.content as string;
}
