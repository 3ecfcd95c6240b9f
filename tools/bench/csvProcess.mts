/**
 * One transfer in a separate process: `tsx csvProcess.mts PORT export|import package|httpRequest`. Reports how long the node
 * took, and how much more memory the process used than before.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { storeFilesOnDisk } from '../engine/storedFiles.mts';
import { outputOf } from '../engine/engine.mts';
import { loadEngine, packageWorkflow, httpRequestWorkflow } from './reference.mts';

export interface Transfer {
	ms: number;
	/** Peak of resident memory above idle, in MB. */
	mb: number;
	/** Size of the received file, or of the file that the service received, in bytes. */
	bytes: number;
}

const [port, direction, implementation] = process.argv.slice(2) as [
	string,
	'export' | 'import',
	'package' | 'httpRequest',
];
const MB = 1024 * 1024;

await storeFilesOnDisk();
const engine = await loadEngine();
const baseUrl = `http://127.0.0.1:${port}/api/v2`;
const credential = { baseUrl, apiToken: 'wa_pk_bench' };

function measuredWorkflow() {
	if (direction === 'export') {
		if (implementation === 'package')
			return packageWorkflow({ resource: 'contact', operation: 'export' });
		const options = {
			response: { response: { responseFormat: 'file', outputPropertyName: 'data' } },
		};
		return httpRequestWorkflow({ url: `${baseUrl}/contacts/export`, options });
	}
	if (implementation === 'package')
		return packageWorkflow({ resource: 'contactImport', operation: 'start' });
	return httpRequestWorkflow({
		method: 'POST',
		url: `${baseUrl}/contacts/import`,
		sendBody: true,
		contentType: 'multipart-form-data',
		bodyParameters: {
			parameters: [{ parameterType: 'formBinaryData', name: 'file', inputDataFieldName: 'data' }],
		},
	});
}

/** For an import: the preceding export, as n8n stores it. */
const first =
	direction === 'import'
		? packageWorkflow({ resource: 'contact', operation: 'export' })
		: undefined;

let idle = 0;
let peak = 0;
let started = 0;
let ended = 0;
let sampling = false;

async function sample(): Promise<void> {
	while (sampling) {
		peak = Math.max(peak, process.memoryUsage.rss());
		await delay(5);
	}
}

const workflow = measuredWorkflow();
if (first) {
	// Provide the file before the node that is measured: Items → Source → Node.
	const source = { ...first.nodes[1]!, name: 'Source', id: 'Source' };
	workflow.nodes.push(source);
	workflow.connections = {
		Items: { main: [[{ node: 'Source', type: 'main', index: 0 }]] },
		Source: { main: [[{ node: 'Node', type: 'main', index: 0 }]] },
	};
}
const run = await engine.run(workflow, {
	credential,
	onStart(name) {
		if (name !== 'Node') return;
		global.gc?.();
		idle = process.memoryUsage.rss();
		sampling = true;
		void sample();
		started = performance.now();
	},
	onEnd(name) {
		if (name !== 'Node') return;
		ended = performance.now();
		sampling = false;
	},
});
const [item] = outputOf(run, 'Node');
if (!item) throw new Error(run.data.resultData.error?.message ?? 'The node returned nothing');
const responseData = item.json.data as { bytes?: number } | undefined;
const bytes = Number(item.binary?.data?.bytes ?? item.json.bytes ?? responseData?.bytes ?? 0);
process.send?.({
	ms: ended - started,
	mb: (Math.max(peak, idle) - idle) / MB,
	bytes,
} satisfies Transfer);
process.exit(0);
