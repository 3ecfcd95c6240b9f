import type { WorkflowFile } from '../engine/workflows.mts';
import { type Engine, outputOf } from '../engine/engine.mts';
import { packageWorkflow, httpRequestWorkflow } from './reference.mts';
import type { Service } from './service.mts';

/** 1,000 updates of 1,000 different contacts. */
export const ITEMS = 1_000;

/** How long the service works on an update, in milliseconds. */
export const LATENCY_MS = 50;

const settings = { onError: 'continueRegularOutput' as const };

/** The n-th contact of the sandbox with a reserved phone number. */
const waId = '={{ `1${201 + $json.index % 799}5550${100 + Math.floor($json.index / 799)}` }}';

/** By this package. */
export const update = (): WorkflowFile =>
	packageWorkflow(
		{
			resource: 'contact',
			operation: 'update',
			contactId: { __rl: true, mode: 'id', value: waId },
			updateFields: { customName: '={{ "Customer " + $json.index }}' },
		},
		ITEMS,
		settings,
	);

/** By n8n's HTTP Request node, which sends all at once. */
export const httpRequest = (baseUrl: string): WorkflowFile =>
	httpRequestWorkflow(
		{
			method: 'PATCH',
			url: `=${baseUrl}/contacts/${waId.slice(1)}`,
			sendBody: true,
			specifyBody: 'json',
			jsonBody: '={{ JSON.stringify({ customName: "Customer " + $json.index }) }}',
		},
		ITEMS,
		settings,
	);

/**
 * Runs a workflow whose node has so many items, and continues after each that fails.
 *
 * @returns how many failed, and how long it took in milliseconds
 */
export async function runItems(
	engine: Engine,
	{ baseUrl, token }: Service,
	fileFor: (baseUrl: string) => WorkflowFile,
	count: number,
): Promise<{ ms: number; failures: number }> {
	const started = performance.now();
	const run = await engine.run(fileFor(baseUrl), { credential: { baseUrl, apiToken: token } });
	const ms = performance.now() - started;
	const items = outputOf(run, 'Node');
	const rejected = items.filter(({ json }) => json.error !== undefined).length;
	return { ms, failures: rejected + count - items.length };
}
