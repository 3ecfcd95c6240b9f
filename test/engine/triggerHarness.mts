import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Engine } from '../../engine/engine.mts';
import type { PollerOptions } from '../../engine/poller.mts';
import { Poller } from '../../engine/poller.mts';
import { triggerWorkflow } from '../../engine/workflows.mts';
import type { SandboxSettings } from '../../sandbox/options.mts';
import { startSandbox, type Sandbox } from '../../sandbox/server.mts';
import { loadEngine } from './harness.mts';

/** How a poll of the trigger ended. */
interface PollResult {
	/** Its events; null if there are none. */
	events: IDataObject[] | null;
	error?: { message: string; description?: string | null; httpCode?: string | null };
	/** "GET /tickets" and the like, in their order. */
	requests: string[];
}

/** An active workflow with the trigger. */
export interface Trigger {
	poll: () => Promise<PollResult>;
	poller: Poller;
	/** What the first poll, while the workflow was published, emitted; null if nothing. */
	published?: IDataObject[] | null;
}

/** A sandbox, and n8n's engine with the built package in front of it. */
export interface TriggerHarness {
	sandbox: Sandbox;
	engine: Engine;
	/** Publishes a workflow with the trigger and runs its first poll. */
	publish: (parameters: INodeParameters, options?: Partial<PollerOptions>) => Promise<Trigger>;
	/** The same workflow in a restarted n8n, with its saved state. */
	restart: (trigger: Trigger, options?: Partial<PollerOptions>) => Trigger;
	close: () => Promise<void>;
}

/** The number of workflows so far. */
let published = 0;

export async function openTriggerHarness(settings: SandboxSettings = {}): Promise<TriggerHarness> {
	const [sandbox, engine] = await Promise.all([startSandbox(settings), loadEngine()]);
	const credential = { baseUrl: sandbox.baseUrl, apiToken: sandbox.tokens.all.value };

	const trigger = (poller: Poller): Trigger => ({
		poller,
		async poll() {
			const before = sandbox.requests.length;
			const { items, error } = await poller.tick();
			return {
				events: items && items.map(({ json }) => json),
				error,
				requests: sandbox.requests.slice(before).map(({ method, path }) => `${method} ${path}`),
			};
		},
	});

	return {
		sandbox,
		engine,
		async publish(parameters, options = {}) {
			// Another one, unless it is published again: the trigger keeps the latest state of each.
			if (options.saved === undefined) published++;
			const file = triggerWorkflow(parameters, `workflow ${published}`);
			const poller = new Poller(engine, file, { credential, ...options });
			const { items } = await poller.activate();
			return { ...trigger(poller), published: items && items.map(({ json }) => json) };
		},
		restart(former, options = {}) {
			const { file: same } = former.poller;
			// Another process than the one that wrote it.
			const saved = former.poller.saved.replace(/"process":"\w+"/, '"process":"former"');
			return trigger(new Poller(engine, same, { credential, saved, ...options }));
		},
		close: async () => await sandbox.close(),
	};
}

/** "1042 OPEN>CLOSED" for events of tickets, with their numbers. */
export function ticketChanges(events: IDataObject[] | null): string[] {
	return (events ?? []).map(({ record, previousStatus, status }) => {
		const { ticketNumber } = record as { ticketNumber: string };
		return `${ticketNumber} ${(previousStatus as string | null) ?? '(new)'}>${status as string}`;
	});
}
