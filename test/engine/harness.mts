// The engine loads it by its folder. Imported, a change to it is one that these tests are related to.
import '../../nodes/ConversationalMessaging/ConversationalMessaging.node.ts';
import type { IDataObject, INode, INodeExecutionData, INodeParameters, IRun } from 'n8n-workflow';
import { fileURLToPath } from 'node:url';
import { actionNode, byId } from '../../tools/engine/workflows.mts';
import { Engine, outputOf } from '../../tools/engine/engine.mts';
import { oneNode, type InputFile } from '../../tools/engine/oneNode.mts';
import type { Sandbox } from '../../sandbox/server.mts';

/** How one run of the node ended. */
export interface Outcome {
	run: IRun;
	/** The output items. */
	json: IDataObject[];
	items: INodeExecutionData[];
	/** The items of the error output. */
	errorItems: INodeExecutionData[];
	error?: {
		message: string;
		description?: string | null;
		httpCode?: string;
		context?: IDataObject;
	};
	hints: string[];
}

export interface NodeRun {
	/** Input items; one empty item if missing. */
	items?: IDataObject[];
	/** A file for every item, in its binary field "data", or only its text. */
	file?: InputFile | string;
	settings?: Partial<INode>;
	/** The workflow's time zone; n8n's own if missing. */
	timezone?: string;
	token?: string;
	baseUrl?: string;
	signal?: AbortSignal;
}

/** The variables of the sandbox's template `welcome`, as the service accepts them. */
export const WELCOME_COMPONENTS = JSON.stringify([
	{ type: 'body', parameters: [{ type: 'text', parameter_name: 'name', text: 'Nathan' }] },
]);

/** Template Variables as the editor saves them, each with its name on screen. */
export const templateVariables = (
	value: IDataObject,
	names: Record<string, string> = Object.fromEntries(Object.keys(value).map((id) => [id, id])),
): INodeParameters =>
	({
		mappingMode: 'defineBelow',
		value,
		schema: Object.entries(names).map(([id, displayName]) => ({ id, displayName, required: true })),
	}) as unknown as INodeParameters;

/** The template and its variable, as a user enters them. */
export const WELCOME = {
	templateId: byId('welcome en_US'),
	templateVariables: templateVariables({ 'body:name': 'Nathan' }, { 'body:name': 'name' }),
};

/** A broadcast of it; its audience is missing. */
export const WELCOME_BROADCAST = {
	resource: 'broadcast',
	operation: 'create',
	name: 'B',
	...WELCOME,
};

export const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));

let loaded: Promise<Engine> | undefined;

/** n8n's engine with the built package; loaded once per test file, it keeps no state. */
export const loadEngine = (): Promise<Engine> => (loaded ??= Engine.load(PACKAGE));

/** Runs the action node alone, with these parameters, on the real engine. */
export async function runNode(
	engine: Engine,
	sandbox: Sandbox,
	parameters: INodeParameters,
	options: NodeRun = {},
): Promise<Outcome> {
	const node = actionNode('Node', parameters, undefined, options.settings);
	const file = {
		...oneNode(node, options.items, options.file),
		...(options.timezone && { settings: { timezone: options.timezone } }),
	};
	const credential = {
		baseUrl: options.baseUrl ?? sandbox.baseUrl,
		apiToken: options.token ?? sandbox.tokens.all.value,
	};
	const run = await engine.run(file, { credential, signal: options.signal });
	const output = outputOf(run, 'Node');
	const data = run.data.resultData.runData.Node?.at(-1);
	return {
		run,
		items: output,
		json: output.map(({ json }) => json),
		errorItems: outputOf(run, 'Node', 1),
		error: run.data.resultData.error as Outcome['error'],
		hints: (data?.hints ?? []).map(({ message }) => message),
	};
}

export { byId } from '../../tools/engine/workflows.mts';
