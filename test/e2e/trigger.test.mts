import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import type { INode } from 'n8n-workflow';
import { builtIn, byId, CREDENTIAL, triggerWorkflow } from '../../tools/engine/workflows.mts';
import type { Ticket } from '../../sandbox/records.mts';
import { EndToEnd, saveCredential, waitFor, type Execution, type Saved } from './harness.mts';

const e2e = await EndToEnd.start();
after(async () => await e2e.close());

test('the trigger starts a published workflow once per change, even if n8n is killed in between', async () => {
	const saved = await e2e.save(triggerWorkflow({ events: ['ticketStatusChanged'] }));
	await e2e.publish(saved);
	const ticket = e2e.sandbox.world.tickets.find(({ status }) => status === 'OPEN')!;

	ticket.status = 'IN_PROGRESS';
	await e2e.untilEnded(saved.id, 1, 75);

	ticket.status = 'RESOLVED';
	await e2e.n8n.kill();
	await e2e.n8n.up();
	await e2e.untilEnded(saved.id, 2, 75);

	// Another poll finds nothing more.
	await e2e.untilPolled('/tickets', 75);
	const executions = await e2e.executions(saved.id);
	assert.deepEqual(
		executions.map(({ status, mode }) => `${mode} ${status}`),
		['trigger success', 'trigger success'],
	);
	await e2e.unpublish(saved);
});

/** A published workflow with the trigger, a credential of its own, and an account of what it has emitted. */
class Watch {
	/** The name of the trigger; executions are read by it. */
	private name = 'Trigger';

	private constructor(
		private saved: Saved,
		readonly credentialId: string,
	) {}

	static async publish(parameters: INode['parameters'] = {}): Promise<Watch> {
		const { baseUrl, tokens } = e2e.sandbox;
		const credentialId = await saveCredential(e2e.n8n, { baseUrl, apiToken: tokens.all.value });
		const file = triggerWorkflow({ events: ['ticketStatusChanged'], ...parameters });
		const watch = new Watch(await e2e.save(file, credentialId), credentialId);
		await watch.publish();
		return watch;
	}

	async publish(): Promise<void> {
		await e2e.publish(this.saved);
	}

	async unpublish(): Promise<void> {
		await e2e.unpublish(this.saved);
	}

	/** Changes the trigger in the editor, and saves the workflow. */
	async edit(changes: Partial<INode>): Promise<void> {
		this.name = changes.name ?? this.name;
		this.saved = await e2e.edit(this.saved.id, (nodes) =>
			nodes.map((node) => ({ ...node, ...changes })),
		);
	}

	/** Goes on with a copy of the workflow, as n8n's Duplicate makes it. */
	async duplicate(): Promise<void> {
		const { nodes, connections } = await e2e.workflow(this.saved.id);
		this.saved = await e2e.save(
			{ name: 'Copy', nodes: nodes.map((node) => ({ ...node, id: randomUUID() })), connections },
			this.credentialId,
		);
	}

	/** The records that it has emitted so far. */
	async emitted(): Promise<string[]> {
		const items = await e2e.emitted(this.saved.id, this.name);
		return items.map(({ recordId }) => recordId as string);
	}

	/**
	 * The records that it has emitted up to and including one, which changes now. Publishing polls at once, so this does
	 * not wait for a minute.
	 */
	async emittedUntil(last: Ticket): Promise<string[]> {
		await this.unpublish();
		change(last);
		await this.publish();
		const emitted = await waitFor(async () => {
			const ids = await this.emitted();
			return ids.at(-1) === last.id ? ids : undefined;
		}, 30);
		await this.unpublish();
		return emitted;
	}
}

/** Gives a ticket another status. */
function change(ticket: Ticket): void {
	ticket.status = ticket.status === 'OPEN' ? 'IN_PROGRESS' : 'OPEN';
}

/** Tickets of one agent, which no other test changes. */
function* tickets(): Generator<Ticket> {
	const { world } = e2e.sandbox;
	const [agent] = world.users.newestFirst();
	for (const ticket of world.tickets.newestFirst()) {
		ticket.assigneeId = agent!.id;
		yield ticket;
	}
}

/** Changes while a workflow is not published, and whether it then emits what changed meanwhile. */
const CHANGES: [string, 'goes on' | 'starts over', (watch: Watch) => Promise<unknown>][] = [
	['nothing', 'goes on', async () => await Promise.resolve()],
	['the name of the trigger', 'goes on', async (watch) => await watch.edit({ name: 'Tickets' })],
	[
		'the token of the credential',
		'goes on',
		async ({ credentialId }) => {
			const { baseUrl, tokens } = e2e.sandbox;
			await e2e.changeCredential(credentialId, {
				baseUrl,
				apiToken: tokens.withoutSettings.value,
			});
		},
	],
	[
		'the credential',
		'starts over',
		async (watch) =>
			await watch.edit({ credentials: { [CREDENTIAL]: { id: e2e.credentialId, name: 'Other' } } }),
	],
	// n8n gives a pasted node a new ID, and its old name if that is free.
	[
		'the trigger, cut and pasted',
		'starts over',
		async (watch) => await watch.edit({ id: randomUUID() }),
	],
	['the workflow, duplicated', 'starts over', async (watch) => await watch.duplicate()],
];

test('a workflow that is published again emits what changed meanwhile, unless it starts over', async (t) => {
	const next = tickets();
	for (const [what, expected, apply] of CHANGES) {
		await t.test(`changed: ${what}: ${expected}`, async () => {
			const [first, second, last] = [next.next().value!, next.next().value!, next.next().value!];
			const watch = await Watch.publish();
			await watch.unpublish();
			await apply(watch);
			change(first);
			change(second);
			await watch.publish();
			const emitted = await watch.emittedUntil(last);
			const meanwhile = expected === 'goes on' ? [first.id, second.id] : [];
			assert.deepEqual(emitted.sort(), [...meanwhile, last.id].sort());
		});
	}
});

test('the state outlasts a restart of n8n, under the name with which the trigger was published last', async () => {
	const next = tickets();
	const meanwhile = next.next().value as Ticket;
	const [paused, renamed, renamedAndPublished] = [
		await Watch.publish(),
		await Watch.publish(),
		await Watch.publish(),
	];
	await paused.unpublish();
	await renamed.unpublish();
	await renamed.edit({ name: 'Tickets' });
	await renamedAndPublished.edit({ name: 'Tickets' });
	await renamedAndPublished.publish();
	await renamedAndPublished.unpublish();

	change(meanwhile);
	await e2e.n8n.kill();
	await e2e.n8n.up();
	const knows = async (watch: Watch): Promise<boolean> => {
		await watch.publish();
		return (await watch.emittedUntil(next.next().value as Ticket)).includes(meanwhile.id);
	};
	assert.equal(await knows(paused), true);
	assert.equal(await knows(renamed), false);
	assert.equal(await knows(renamedAndPublished), true);
});

test('Start From emits the existing records once, and again if the trigger is replaced by a duplicate', async () => {
	const { world } = e2e.sandbox;
	const agent = [...world.users.newestFirst()].at(-1)!;
	const existing = [...world.tickets.newestFirst()].slice(-3);
	for (const ticket of world.tickets.newestFirst())
		if (ticket.assigneeId === agent.id) ticket.assigneeId = null;
	for (const ticket of existing) ticket.assigneeId = agent.id;
	const ids = existing.map(({ id }) => id).reverse();
	const emitted = async (count: number) =>
		await waitFor(async () => {
			const all = await watch.emitted();
			return all.length >= count ? all : undefined;
		}, 30);

	const watch = await Watch.publish({
		filters: { agentId: byId(agent.id) },
		options: { startFrom: 'existing' },
	});
	assert.deepEqual(await emitted(3), ids);

	await watch.unpublish();
	const changed = existing[1] as Ticket;
	change(changed);
	await watch.publish();
	assert.deepEqual(await emitted(4), [...ids, changed.id]);

	// Cut and pasted: it starts over, but under a name that has a state.
	await watch.unpublish();
	await watch.edit({ id: randomUUID() });
	await watch.publish();
	await watch.unpublish();
	change(changed);
	await watch.publish();
	assert.deepEqual(await emitted(5), [...ids, changed.id, changed.id]);

	// Duplicated: its executions are those of the new name.
	await watch.unpublish();
	await watch.edit({ id: randomUUID(), name: 'Trigger1' });
	await watch.publish();
	assert.deepEqual(await emitted(3), ids);
	await watch.unpublish();
});

test('n8n’s Retry runs a failed execution again with the same events', async () => {
	const file = triggerWorkflow({ events: ['ticketStatusChanged'] });
	const fails = builtIn('Fails', 'stopAndError', { errorMessage: 'On purpose' }, 1);
	const saved = await e2e.save({
		...file,
		nodes: [...file.nodes, fails],
		connections: { Trigger: { main: [[{ node: 'Fails', type: 'main', index: 0 }]] } },
	});
	await e2e.publish(saved);
	await e2e.unpublish(saved);
	change(tickets().next().value as Ticket);
	await e2e.publish(saved);
	const [{ id }] = (await e2e.untilEnded(saved.id, 1, 30)) as [Execution];
	await e2e.unpublish(saved);
	await e2e.n8n.call('POST', `/executions/${id}/retry`, { loadWorkflow: true });
	const [, again] = await e2e.untilEnded(saved.id, 2, 30);
	const [events, repeated] = [
		await e2e.startedWith(id, 'Trigger'),
		await e2e.startedWith(again!.id, 'Trigger'),
	];
	assert.equal(events.length, 1);
	assert.deepEqual(
		repeated.map(({ json }) => json),
		events.map(({ json }) => json),
	);
});
