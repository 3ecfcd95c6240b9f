import { STICKY_NOTE, type WorkflowFile } from '../engine/workflows.mts';

/** The workflows in the order of the document, by what they are about. */
const GROUPS: Record<string, string[]> = {
	'Customers write': [
		'message-routing',
		'order-status',
		'unanswered-chats',
		'opt-out',
		'whatsapp-agent',
	],
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
 * The README of the examples as a Markdown document: a line per workflow, with the title of the yellow note on its canvas and
 * the page about it. What it does is on that page, and the steps that set it up are in the note.
 *
 * @param files the workflows by their file names
 * @throws if a workflow is in no group
 */
export function examplesReadme(files: ReadonlyMap<string, WorkflowFile>): string {
	const order = Object.values(GROUPS).flat();
	const others = [...files.keys()].filter((name) => !order.includes(name.replace('.json', '')));
	if (others.length > 0) throw new Error(`Add ${others.join(', ')} to a group of the examples`);
	return [
		'# Examples',
		'Written by `npm run docs`, from the yellow note of each workflow. The pages say what each one does.',
		'To import a workflow, save its file, open an empty workflow in n8n and choose **⋯ → Import → From file** beside its name. Its yellow note has the steps that set it up, and says what a manual run does. If you already have a credential, n8n adds it to the nodes: check that it is the right one. n8n marks a node in red while a required field is empty, and does not publish the workflow until it is filled in.',
		...Object.entries(GROUPS).flatMap(([title, names]) => {
			const lines = names.map((name) =>
				lineOf(`${name}.json`, files.get(`${name}.json`) as WorkflowFile),
			);
			return [`## ${title}`, lines.join('\n')];
		}),
	].join('\n\n');
}

const PAGE = /\[Documentation\]\(https:\/\/\S+?\/blob\/main\/(\S+)\)/;

function lineOf(name: string, file: WorkflowFile): string {
	const note = noteOf(file);
	const [, page = ''] = PAGE.exec(note) ?? [];
	const [, title = ''] = /^#+ (.+)$/m.exec(note) ?? [];
	return `- [${title}](../${page}) ([file](${name}))`;
}

/** The text of a workflow's yellow note, the only one without a color of its own. */
function noteOf({ nodes }: WorkflowFile): string {
	const note = nodes.find(
		({ type, parameters }) => type === STICKY_NOTE && parameters.color === undefined,
	);
	return note?.parameters.content as string;
}
