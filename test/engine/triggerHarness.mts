import '../../nodes/ConversationalMessaging/ConversationalMessagingTrigger.node.ts';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { outputOf } from '../../tools/engine/engine.mts';
import { type PollerOptions, Poller } from '../../tools/engine/poller.mts';
import { actionNode, TRIGGER_NODE, triggerWorkflow } from '../../tools/engine/workflows.mts';
import type { SharedHarness } from './sharedHarness.mts';

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

/** Workflows with the trigger. */
interface Triggers {
	/** Publishes a workflow with the trigger and runs its first poll. */
	publish: (parameters: INodeParameters, options?: Partial<PollerOptions>) => Promise<Trigger>;
	/** The same workflow in a restarted n8n, with its saved state. */
	restart: (trigger: Trigger, options?: Partial<PollerOptions>) => Trigger;
	/** The same workflow with other parameters. */
	change: (trigger: Trigger, parameters: INodeParameters) => Trigger;
	/** Runs the trigger as the button Fetch Test Event does. */
	fetchTestEvent: (parameters: INodeParameters, staticData?: IDataObject) => Promise<TestEvent>;
}

interface TestEvent {
	events: IDataObject[];
	error?: { message: string; description?: string };
}

/** The number of workflows so far. */
let published = 0;

/** @param of their service, and n8n's engine with the built package */
export function triggersOf(of: Pick<SharedHarness, 'sandbox' | 'engine' | 'credential'>): Triggers {
	const trigger = (poller: Poller): Trigger => ({
		poller,
		async poll() {
			const { requests } = of.sandbox;
			const before = requests.length;
			const { items, error } = await poller.tick();
			return {
				events: items && items.map(({ json }) => json),
				error,
				requests: requests.slice(before).map(({ method, path }) => `${method} ${path}`),
			};
		},
	});

	const restart = (former: Trigger, options: Partial<PollerOptions> = {}): Trigger => {
		// Another process than the one that wrote it.
		const saved = former.poller.saved.replace(/"process":"\w+"/, '"process":"former"');
		const own = { credential: of.credential, saved, ...options };
		return trigger(new Poller(of.engine, former.poller.file, own));
	};

	return {
		restart,
		change(former, parameters) {
			const { file, saved } = former.poller;
			const changed = { file: triggerWorkflow(parameters, file.id), saved } as Poller;
			return restart({ ...former, poller: changed });
		},
		async publish(parameters, options = {}) {
			// Another one, unless it is published again: the trigger keeps the latest state of each.
			if (options.saved === undefined) published++;
			const file = triggerWorkflow(parameters, `workflow ${published}`);
			const poller = new Poller(of.engine, file, { credential: of.credential, ...options });
			const { items } = await poller.activate();
			return { ...trigger(poller), published: items && items.map(({ json }) => json) };
		},
		async fetchTestEvent(parameters, staticData) {
			const nodes = [actionNode('Trigger', parameters, TRIGGER_NODE)];
			const file = { name: 'Try', nodes, connections: {} };
			const run = await of.engine.run(file, { credential: of.credential, staticData });
			const error = run.data.resultData.error as TestEvent['error'];
			return { events: outputOf(run, 'Trigger').map(({ json }) => json), error };
		},
	};
}

/** "1042 OPEN>CLOSED" for events of tickets, with their numbers. */
export function ticketChanges(events: IDataObject[] | null): string[] {
	return (events ?? []).map(({ record, previousStatus, status }) => {
		const { ticketNumber } = record as { ticketNumber: string };
		return `${ticketNumber} ${(previousStatus as string | null) ?? '(new)'}>${status as string}`;
	});
}
