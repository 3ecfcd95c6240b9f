import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import axios from 'axios';
import type { Chat } from '../../sandbox/records.mts';
import { COLLEAGUE, fillIn } from '../../tools/demo/fillIn.mts';
import { addText } from '../support/records.mts';
import { EndToEnd, examples, isEnded, waitFor } from './harness.mts';
import { startModel, type Turn } from './model.mts';

interface Sent {
	to: string;
	text: string;
}

/** The example of an agent on WhatsApp, in n8n itself, with a scripted model. */

/** The chat that the model was given with each message of a customer, by that message. */
const earlier = new Map<string, string>();

/** Answers about orders, refunds what a colleague approves, and hands everything else over. */
function respond([result]: string[], prompt: string): Turn {
	const [chat = '', asked = ''] = prompt.split('\n\nThe customer wrote last:\n');
	earlier.set(asked, chat);
	if (/thank/i.test(asked)) return { text: 'You are welcome' };
	if (/order/.test(asked))
		return result === undefined
			? { tool: 'Find_Tickets', args: {} }
			: { text: `Your tickets: ${result}` };
	if (/refund/.test(asked))
		return result === undefined
			? // A reviewed tool has its arguments under this name.
				{ tool: 'Refund', args: { toolParameters: { Order: '1042, arrived broken' } } }
			: { text: result.includes('ticketNumber') ? 'It is refunded' : 'It is not refunded' };
	return result === undefined
		? { tool: 'Escalate', args: { Reason: 'Asks for a person' } }
		: { text: 'A colleague will reply' };
}

const e2e = await EndToEnd.start();
const model = await startModel(respond);

after(async () => {
	await model.close();
	await e2e.close();
});

test('an agent on WhatsApp answers each customer, asks before it refunds, and hands over', async () => {
	const { world } = e2e.sandbox;
	const name = 'whatsapp-agent.json';
	const file = fillIn(name, examples().get(name)!, world);
	const saved = await e2e.save({ ...file, nodes: await e2e.withModel(file.nodes, model) });
	await e2e.publish(saved);

	// Without sessions: one of another agent would reject the replies.
	const [ordering, broken, asking] = world.chats.filter(
		({ channel, session, needsEscalation, contactId }) =>
			channel === 'WHATSAPP' &&
			session === null &&
			!needsEscalation &&
			world.contacts.get(contactId)?.waId !== COLLEAGUE,
	) as [Chat, Chat, Chat];
	const write = (chat: Chat, text: string) => addText(world, chat, text);
	const sentTo = (waId: string | undefined) =>
		e2e.sandbox.requests
			.filter(
				({ route, status, body }) =>
					route === 'POST /messages' && status === 200 && (body as Sent).to === waId,
			)
			.map(({ body }) => (body as Sent).text);
	const replies = (chat: Chat) => sentTo(world.contacts.get(chat.contactId)?.waId ?? undefined);
	const replied = async (chat: Chat, count: number) =>
		await waitFor(async () => {
			const all = replies(chat);
			return await Promise.resolve(all.length >= count ? all : undefined);
		}, 150);

	write(ordering, 'Where is my order?');
	write(broken, 'Please refund it');
	write(asking, 'I want to talk to somebody');

	// Two are answered while a colleague decides about the third.
	const [tickets] = await replied(ordering, 1);
	const own = world.tickets.filter(({ contactId }) => contactId === ordering.contactId);
	assert.equal((tickets!.match(/"title/g) ?? []).length, Math.min(own.length, 10));
	for (const { id } of own.slice(0, 10)) assert.ok(tickets!.includes(id));
	assert.deepEqual(await replied(asking, 1), ['A colleague will reply']);
	assert.equal(asking.needsEscalation, true);
	const question = await waitFor(async () => await Promise.resolve(sentTo(COLLEAGUE)[0]), 60);
	assert.match(question, /The AI agent wants to use Refund for .*1042, arrived broken/);
	assert.deepEqual(replies(broken), []);
	const refunds = () => world.tickets.filter(({ title }) => title.startsWith('Refund: '));
	assert.deepEqual(refunds(), []);

	const [approve] = question.match(/http\S+/g)!;
	await axios.post(approve, new URLSearchParams({ approved: 'true' }));
	assert.deepEqual(await replied(broken, 1), ['It is refunded']);
	assert.deepEqual(
		refunds().map(({ title, contactId, chatId }) => [title, contactId, chatId]),
		[['Refund: 1042, arrived broken', broken.contactId, broken.id]],
	);

	// It remembers each conversation alone, and is silent where somebody else replies.
	write(asking, 'Hello?');
	write(ordering, 'Thank you');
	assert.equal((await replied(ordering, 2))[1], 'You are welcome');
	const chat = earlier.get('Thank you')!;
	assert.match(chat, /Where is my order\?/);
	assert.doesNotMatch(chat, /refund it|talk to somebody/);
	assert.equal(earlier.has('Hello?'), false);
	assert.deepEqual(replies(asking), ['A colleague will reply']);

	const executions = await e2e.executions(saved.id);
	const failed = executions.filter(({ status }) => status !== 'success');
	assert.deepEqual(failed, []);
	assert.ok(executions.every(isEnded));
});
