import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { STICKY_NOTE, type WorkflowFile } from '../engine/workflows.mts';
import { anchorOf } from './links.mts';

/** The workflows in the order of the document, by what they are about. */
const GROUPS: Record<string, string[]> = {
	'Customers write': ['message-routing', 'order-status', 'unanswered-chats', 'opt-out', 'whatsapp-agent'],
	Tickets: [
		'weekly-report',
		'ticket-routing',
		'ticket-status-to-customer',
		'ticket-confirmation',
		'survey',
		'ai-agent',
	],
	'Messages to many': [
		'reminders',
		'birthdays',
		'broadcast-to-segment',
		'broadcast-preview',
		'broadcast-in-waves',
		'weekly-cap',
		'broadcast-report',
		'template-paused',
		'ab-test',
	],
	Contacts: ['lead-form', 'contact-import', 'contact-sync', 'contact-backup'],
};

/**
 * The README of the examples as a Markdown document: a section per workflow, from the yellow note on its canvas.
 *
 * @param files the workflows by their file names
 * @param root the folder of the repository
 * @throws if a workflow is in no group
 */
export function examplesReadme(files: ReadonlyMap<string, WorkflowFile>, root: string): string {
	const order = Object.values(GROUPS).flat();
	const others = [...files.keys()].filter((name) => !order.includes(name.replace('.json', '')));
	if (others.length > 0) throw new Error(`Add ${others.join(', ')} to a group of the examples`);
	const groups = Object.entries(GROUPS).map(([title, names]) => ({
		title,
		own: names.flatMap((name) => [...files].filter(([fileName]) => fileName === `${name}.json`)),
	}));
	return [
		'# Examples',
		'Written by `npm run docs`, from the yellow note of each workflow.',
		'To import a workflow, save its file, open an empty workflow in n8n and choose **⋯ → Import → From file** beside its name. If you already have a credential, n8n adds it to the nodes: check that it is the right one. n8n marks a node in red while a required field is empty, and does not publish the workflow until it is filled in.',
		groups.map(({ title }) => `[${title}](#${anchorOf(title)})`).join(' · '),
		...groups.flatMap(({ title, own }) => [
			`## ${title}`,
			...own.flatMap(([name, file]) => section(name, file, root)),
		]),
	].join('\n\n');
}

const PAGE = /\[Documentation\]\(https:\/\/\S+?\/blob\/main\/(\S+)\)/;

function section(name: string, file: WorkflowFile, root: string): string[] {
	const picture = `docs/images/${name.replace(/json$/, 'webp')}`;
	const note = noteOf(file);
	const [, page = ''] = PAGE.exec(note) ?? [];
	const [about = '', steps = ''] = note.replace(PAGE, '').split(/^### Set up$/m);
	return [
		`#${about.trim()}`,
		...(existsSync(join(root, picture)) ? [`![${file.name}](../${picture})`] : []),
		steps.trim(),
		`[Documentation](../${page}) · [File](${name})`,
	];
}

/** The text of a workflow's yellow note, the only one without a color of its own. */
function noteOf({ nodes }: WorkflowFile): string {
	const note = nodes.find(
		({ type, parameters }) => type === STICKY_NOTE && parameters.color === undefined,
	);
	return note?.parameters.content as string;
}
