/**
 * `npm run editor`: n8n's editor with this package, a credential and all example workflows, and the messaging service
 * on this machine, until you press Ctrl+C. A line that is entered, such as "12025550143 STOP", is a message of a customer:
 * the service's API has no way to receive one.
 */
import { createInterface } from 'node:readline';
import { fastClock } from '../../sandbox/clock.mts';
import { fillIn } from '../../tools/demo/fillIn.mts';
import { EndToEnd, examples } from './harness.mts';
import { OWNER } from './n8nServer.mts';

const PROGRESS_EVERY_MS = 15_000;

const started = Date.now();
let step = 'Starting the messaging service';
const showProgress = () => {
	const seconds = Math.round((Date.now() - started) / 1_000);
	console.log(`${String(seconds).padStart(3)} s  ${step}`);
};
const show = (next: string) => {
	step = next;
	showProgress();
};
showProgress();
const progress = setInterval(showProgress, PROGRESS_EVERY_MS);

// "Find unanswered chats" needs a list that shows when the last message came.
const service = { clock: fastClock(10), shapes: { chatActivity: 'lastMessage' } } as const;
const e2e = await EndToEnd.start(service, {}, show);
show('Saving the examples in n8n');
await e2e.createDataTables();
for (const [name, file] of examples()) await e2e.save(fillIn(name, file, e2e.sandbox.world));
clearInterval(progress);

const { world } = e2e.sandbox;
/** A chat without a session: any agent may reply. */
const chat = world.chats.find(({ channel, session }) => channel === 'WHATSAPP' && session === null);
const { waId, name } = world.contacts.get(chat!.contactId)!;

console.log(`
n8n       ${e2e.n8n.url}
  e-mail    ${OWNER.email}
  password  ${OWNER.password}

Messaging service  ${e2e.sandbox.baseUrl}
  Its clock runs ten times as fast as yours: broadcasts and imports end sooner.

Tokens, for credentials of your own
  everything allowed       ${e2e.sandbox.tokens.all.value}
  without settings.view    ${e2e.sandbox.tokens.withoutSettings.value}
  expired                  ${e2e.sandbox.tokens.expired.value}

To write as a customer on WhatsApp, enter a number and a text here, e.g. for ${name}:
  ${waId} STOP
What customers get, with the links in it, is shown here, too.

The example workflows are in the list of workflows. Press Ctrl+C to end.`);

let shown = e2e.sandbox.requests.at(-1);
setInterval(() => {
	const { requests } = e2e.sandbox;
	const next = shown ? requests.indexOf(shown) + 1 : 0;
	for (const { route, status, body } of requests.slice(next)) {
		if (route !== 'POST /messages' || status !== 200) continue;
		const { to, text, templateName, mediaUrl } = body as Record<string, string | undefined>;
		console.log(`To ${to}: ${text ?? templateName ?? mediaUrl}`);
	}
	shown = requests.at(-1);
}, 1_000);

// Ctrl+C is the normal way to end it, not a failure.
process.exitCode = 0;

for await (const line of createInterface({ input: process.stdin })) {
	const [, number = '', text = ''] = /^\s*\+?(\d+)\s+(.+)$/.exec(line) ?? [];
	console.log(receive(number, text));
}

/** Adds a message of a customer. Returns what happened. */
function receive(number: string, text: string): string {
	const contact = world.findContactByWaId(number);
	const to = contact && world.chatOf(contact.id);
	if (!to) return `Enter the number of a contact who has a chat, and a text, e.g. ${waId} STOP`;
	world.addMessage(to, { direction: 'INBOUND', type: 'text', content: { text }, agentId: null });
	return `${contact.name}: ${text}`;
}
