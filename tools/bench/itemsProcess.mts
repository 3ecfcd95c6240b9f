/**
 * One run of many items in a separate process: `tsx itemsProcess.mts BASE_URL TOKEN import|update|request|helper|nothing COUNT`.
 * Reports how long it took, and how much more memory the process used than before.
 */
import {
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	NodeConnectionTypes,
} from 'n8n-workflow';
import { fileURLToPath } from 'node:url';
import { Engine, outputOf } from '../engine/engine.mts';
import { oneNode } from '../engine/oneNode.mts';
import { ACTION_NODE, actionNode, byId, CREDENTIAL } from '../engine/workflows.mts';
import { httpRequestNode, loadEngine } from './reference.mts';

export interface ManyItems {
	/** CPU time: unlike elapsed time, it does not depend on what else the machine does. */
	ms: number;
	/** Peak of resident memory above idle, in KB. */
	kb: number;
	/** How many items failed. */
	failures: number;
}

const [baseUrl, token, what, countText] = process.argv.slice(2) as [
	string,
	string,
	'import' | 'update' | 'request' | 'helper' | 'nothing',
	string,
];
const count = Number(countText);

const NOTHING = 'bench.nothing';

/** What n8n itself needs for items with three expressions: a node that only reads them. */
const nothing: INodeType = {
	description: {
		displayName: 'Nothing',
		name: NOTHING,
		group: ['transform'],
		version: 1,
		description: '',
		defaults: { name: 'Nothing' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		properties: ['name', 'waId', 'igId'].map((name) => ({
			displayName: name,
			name,
			type: 'string' as const,
			default: '',
		})),
	},
	async execute(this: IExecuteFunctions) {
		const items = this.getInputData().map((_item, index) => ({
			json: {
				name: this.getNodeParameter('name', index),
				waId: this.getNodeParameter('waId', index),
				igId: this.getNodeParameter('igId', index),
			},
			pairedItem: { item: index },
		}));
		return [items];
	},
};

const HELPER = 'bench.helper';

/** How many requests it sends at once. */
const AT_ONCE = 64;

/** The shortest node that sends the same update with n8n's own helper. */
const helper: INodeType = {
	description: {
		...nothing.description,
		displayName: 'Helper',
		name: HELPER,
		credentials: [{ name: CREDENTIAL, required: true }],
		properties: ['waId', 'customName', 'igUsername'].map((name) => ({
			displayName: name,
			name,
			type: 'string' as const,
			default: '',
		})),
	},
	async execute(this: IExecuteFunctions) {
		const items = this.getInputData();
		const output: INodeExecutionData[] = [];
		for (let from = 0; from < items.length; from += AT_ONCE) {
			const updates = items.slice(from, from + AT_ONCE).map(async (_item, n) => {
				const read = (name: string) => this.getNodeParameter(name, from + n) as string;
				const { baseUrl } = await this.getCredentials<{ baseUrl: string }>(CREDENTIAL, from + n);
				const body = { customName: read('customName'), igUsername: read('igUsername') };
				const url = `${baseUrl}/contacts/${read('waId')}`;
				const options = { method: 'PATCH', url, body, json: true } as const;
				const { helpers } = this;
				const json = (await helpers.httpRequestWithAuthentication.call(
					this,
					CREDENTIAL,
					options,
				)) as IDataObject;
				return { json, pairedItem: { item: from + n } };
			});
			output.push(...(await Promise.all(updates)));
		}
		return [output];
	},
};

const expressions: INodeParameters = {
	name: '={{ $json.name }}',
	waId: '={{ $json.waId }}',
	igId: '={{ $json.igId }}',
};
const parameters: Record<typeof what, INodeParameters> = {
	nothing: expressions,
	helper: {
		waId: '={{ $json.waId }}',
		customName: '={{ $json.name }}',
		igUsername: '={{ $json.igUsername }}',
	},
	import: {
		resource: 'contactImport',
		operation: 'start',
		source: 'items',
		options: { returnFailedRows: false },
		...expressions,
	},
	update: {
		resource: 'contact',
		operation: 'update',
		contactId: byId('={{ $json.waId }}'),
		updateFields: { customName: '={{ $json.name }}', igUsername: '={{ $json.igUsername }}' },
	},
	// The same update with n8n's HTTP Request: as many expressions, because most of an item's cost is evaluating them.
	request: {
		method: 'PATCH',
		url: `=${baseUrl}/contacts/{{ $json.waId }}`,
		sendBody: true,
		specifyBody: 'keypair',
		bodyParameters: {
			parameters: [
				{ name: 'customName', value: '={{ $json.name }}' },
				{ name: 'igUsername', value: '={{ $json.igUsername }}' },
			],
		},
	},
};

const engine =
	what === 'request'
		? await loadEngine()
		: await Engine.load(fileURLToPath(new URL('../..', import.meta.url)), {
				[NOTHING]: nothing,
				[HELPER]: helper,
			});
const items = Array.from({ length: count }, (_, n) => ({
	name: `Customer ${n}`,
	waId: `1${201 + (n % 799)}5550${100 + (Math.floor(n / 799) % 2)}`,
	igUsername: `customer.${n}`,
}));
const settings = { onError: 'continueRegularOutput' as const };
const type = { nothing: NOTHING, helper: HELPER }[what as string] ?? ACTION_NODE;
const node =
	what === 'request'
		? httpRequestNode(parameters[what], settings)
		: actionNode('Node', parameters[what], type, settings);
const file = oneNode(node, items);

global.gc?.();
const idle = process.memoryUsage().rss / 1024;
const started = process.cpuUsage();
const run = await engine.run(file, { credential: { baseUrl, apiToken: token } });
const { user, system } = process.cpuUsage(started);
const ms = (user + system) / 1_000;
// The peak since the process started, in KB.
const kb = Math.max(0, process.resourceUsage().maxRSS - idle);
const output = outputOf(run, 'Node');
const rejected = output.filter(({ json }) => json.error !== undefined).length;
const failures = rejected + (what === 'import' ? 1 : count) - output.length;
process.send?.({ ms, kb, failures } satisfies ManyItems);
process.disconnect();
