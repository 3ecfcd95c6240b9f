import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { triggerWorkflow } from '../../engine/workflows.mts';
import { EndToEnd, isEnded, waitFor } from './harness.mts';

let e2e: EndToEnd;

before(async () => {
	e2e = await EndToEnd.start();
});

after(async () => {
	await e2e.close();
});

test('the trigger starts a published workflow once per change, even if n8n is killed in between', async () => {
	const saved = await e2e.save(triggerWorkflow({ events: ['ticketStatusChanged'] }));
	await e2e.publish(saved);
	const ticket = e2e.sandbox.world.tickets.find(({ status }) => status === 'OPEN')!;
	const count = async () => (await e2e.executions(saved.id)).filter(isEnded).length;

	ticket.status = 'IN_PROGRESS';
	await waitFor(async () => ((await count()) === 1 ? true : undefined), 75);

	ticket.status = 'RESOLVED';
	await e2e.n8n.kill();
	await e2e.n8n.up();
	await waitFor(async () => ((await count()) === 2 ? true : undefined), 75);

	// Another poll finds nothing more.
	const polls = () => e2e.sandbox.requests.filter(({ path }) => path === '/tickets').length;
	const before = polls();
	await waitFor(async () => await Promise.resolve(polls() > before ? true : undefined), 75);
	await sleep(2_000);
	const executions = await e2e.executions(saved.id);
	assert.deepEqual(
		executions.map(({ status, mode }) => `${mode} ${status}`),
		['trigger success', 'trigger success'],
	);
});
