/**
 * Contacts against a sheet with 20 changed rows, at 50 ms per request: Contact → Sync compared with Create or Update for
 * every row, then with 100,000 contacts.
 */
import axios from 'axios';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { outputOf } from '../engine/engine.mts';
import { oneNode } from '../engine/oneNode.mts';
import { actionNode } from '../engine/workflows.mts';
import { chart } from './chart.mts';
import { loadEngine } from './reference.mts';
import { progress, report } from './report.mts';
import { startService, type Service } from './service.mts';

const LATENCY_MS = 50;
const CHANGED = 20;

const engine = await loadEngine();
const sync: INodeParameters = { resource: 'contact', operation: 'sync', dryRun: false };
const upsert: INodeParameters = {
	resource: 'contact',
	operation: 'upsert',
	name: '={{ $json.name }}',
	waId: '={{ $json.waId }}',
};

interface Result {
	rows: number;
	requests: number;
	ms: number;
	failures: number;
}

/** The contacts on WhatsApp, as a sheet has them. */
async function sheetOf({ baseUrl, token }: Service): Promise<IDataObject[]> {
	const http = axios.create({ baseURL: baseUrl, headers: { Authorization: `Bearer ${token}` } });
	const rows: IDataObject[] = [];
	for (let page = 1, pages = 1; page <= pages; page++) {
		const { data } = await http.get<{ data: IDataObject[]; meta: { totalPages: number } }>(
			`/contacts?limit=200&page=${page}`,
		);
		pages = data.meta.totalPages;
		rows.push(...data.data);
	}
	return rows.flatMap(({ name, waId }) => (waId ? { name, waId } : []));
}

async function measure(contacts: number, parameters: INodeParameters): Promise<Result> {
	progress(`${contacts} contacts, ${parameters.operation as string}`);
	// Three more have no address.
	const service = await startService({
		contacts: contacts - 3,
		tickets: 0,
		latencyMs: LATENCY_MS,
		rateLimit: { requests: 0 },
	});
	const items = await sheetOf(service);
	for (let n = 0; n < CHANGED; n++) {
		const row = items[n * Math.floor(items.length / CHANGED)] as IDataObject;
		row.name = `${row.name as string} Jr.`;
	}
	const before = await service.requests();
	const { baseUrl, token } = service;
	const file = oneNode(actionNode('Node', parameters), items);
	const started = performance.now();
	const run = await engine.run(file, { credential: { baseUrl, apiToken: token } });
	const ms = performance.now() - started;
	const requests = (await service.requests()) - before;
	service.close();
	const output = outputOf(run, 'Node').filter(({ json }) => json.error === undefined);
	return { rows: items.length, requests, ms, failures: items.length - output.length };
}

const synced = await measure(10_000, sync);
const upserted = await measure(10_000, upsert);
const large = await measure(100_000, sync);

const row = (name: string, { rows, requests, ms, failures }: Result) => [
	name,
	`${rows} rows`,
	`${requests} requests`,
	`${(ms / 1000).toFixed(1)} s`,
	`${failures} failures`,
];
report(`A sheet with ${CHANGED} changed rows, ${LATENCY_MS} ms per request`, [
	row('Contact → Sync, 10,000 contacts', synced),
	row('Create or Update per row', upserted),
	row('Contact → Sync, 100,000 contacts', large),
]);
chart('sync', {
	title: `Requests for ${synced.rows} rows, ${CHANGED} of them changed`,
	unit: 'requests',
	categories: ['Contact → Sync', 'Contact → Create or Update'],
	series: [{ name: 'requests', values: [synced.requests, upserted.requests] }],
});
const isLean = synced.requests === 50 + CHANGED && large.requests === 500 + CHANGED;
process.exit(isLean && synced.failures + upserted.failures + large.failures === 0 ? 0 : 1);
