import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { actionNode, builtIn, byId, linearWorkflow } from '../../tools/engine/workflows.mts';
import { startSandbox, type Sandbox, type ReceivedRequest } from '../../sandbox/server.mts';
import { EndToEnd, saveCredential } from './harness.mts';

/**
 * One workflow for several tenants: the credential's fields are expressions, and each item has its own token and base
 * URL.
 */
interface Tenant {
	name: string;
	/** The service that must receive the tenant's requests. */
	sandbox: Sandbox;
	token: string;
}

const ITEMS_PER_TENANT = 3;

let e2e: EndToEnd;
let other: Sandbox;
let credentialId: string;
let tenants: Tenant[];

before(async () => {
	e2e = await EndToEnd.start();
	other = await startSandbox();
	const { tokens } = e2e.sandbox;
	tenants = [
		{ name: 'Ann', sandbox: e2e.sandbox, token: tokens.all.value },
		// The same service, another token.
		{ name: 'Bo', sandbox: e2e.sandbox, token: tokens.withoutSettings.value },
		// The same token, another service.
		{ name: 'Cy', sandbox: other, token: other.tokens.all.value },
	];
	credentialId = await saveCredential(e2e.n8n, {
		baseUrl: '={{ $json.baseUrl }}',
		apiToken: '={{ $json.token }}',
	});
});

after(async () => {
	await other.close();
	await e2e.close();
});

/** Items of all tenants in turn, each with the tenant's name, token and base URL. */
function items(more: (tenant: Tenant, n: number) => IDataObject = () => ({})): IDataObject[] {
	return Array.from({ length: ITEMS_PER_TENANT }, (_, n) =>
		tenants.map((tenant) => ({
			tenant: tenant.name,
			token: tenant.token,
			baseUrl: tenant.sandbox.baseUrl,
			...more(tenant, n),
		})),
	).flat();
}

/** Runs the node for the items, in a published workflow. Returns the node's output. */
async function run(
	path: string,
	parameters: INodeParameters,
	input: IDataObject[],
): Promise<IDataObject[]> {
	const webhook: INode = {
		...builtIn(
			'Webhook',
			'webhook',
			{ httpMethod: 'POST', path, responseMode: 'lastNode', responseData: 'allEntries' },
			2,
		),
		webhookId: path,
	};
	const workflow = linearWorkflow(
		path,
		webhook,
		builtIn('Items', 'splitOut', { fieldToSplitOut: 'body' }, 1),
		actionNode('Node', parameters),
	);
	await e2e.publish(await e2e.save(workflow, credentialId));
	const { status, data } = await e2e.n8n.rest.post<IDataObject[]>(
		`${e2e.n8n.url}/webhook/${path}`,
		input,
	);
	assert.equal(status, 200, JSON.stringify(data));
	return data;
}

/** Requests of a route that reached a tenant's service with the tenant's token. */
function requestsOf({ sandbox, token }: Tenant, route: string): ReceivedRequest[] {
	return sandbox.requests.filter(
		(seen) => seen.route === route && seen.headers.authorization === `Bearer ${token}`,
	);
}

test('each item is written with its own token, to its own service', async () => {
	const titled = items(({ name }, n) => ({ title: `${name} ${n}` }));
	const output = await run(
		'tickets',
		{ resource: 'ticket', operation: 'create', title: '={{ $json.title }}' },
		titled,
	);
	assert.deepEqual(
		output.map(({ title }) => title),
		titled.map(({ title }) => title),
	);
	for (const tenant of tenants) {
		assert.deepEqual(
			requestsOf(tenant, 'POST /tickets')
				.map(({ body }) => (body as IDataObject).title)
				.sort(),
			Array.from({ length: ITEMS_PER_TENANT }, (_, n) => `${tenant.name} ${n}`),
			tenant.name,
		);
	}
});

test('a list that is the same for all items is fetched for each tenant', async () => {
	// Both services list the same contacts, except for their names.
	for (const { name, sandbox } of tenants)
		for (const contact of sandbox.world.contacts.newestFirst()) contact.name = `Known to ${name}`;
	const output = await run(
		'contacts',
		{ resource: 'contact', operation: 'getAll', returnAll: false, limit: 1 },
		items(),
	);
	const [, bo, cy] = tenants.map(({ name }) => `Known to ${name}`);
	// Ann and Bo use the same service, where Bo's name is the latest.
	assert.deepEqual(
		output.map(({ name }) => name),
		Array.from({ length: ITEMS_PER_TENANT }, () => [bo, bo, cy]).flat(),
	);
	for (const tenant of tenants)
		assert.equal(requestsOf(tenant, 'GET /contacts').length, 1, tenant.name);
});

test('items of several tenants are not combined in one request, although they name the same segment', async () => {
	const contacts = tenants.map(({ sandbox }, i) =>
		[...sandbox.world.contacts.newestFirst()].slice(
			i * ITEMS_PER_TENANT,
			(i + 1) * ITEMS_PER_TENANT,
		),
	);
	const segments = tenants.map(
		({ sandbox }) => sandbox.world.segments.find(({ isDynamic }) => !isDynamic)!,
	);
	// The segment has the same ID in both services.
	assert.equal(new Set(segments.map(({ id }) => id)).size, 1);
	await run(
		'segments',
		{
			resource: 'segment',
			operation: 'addContacts',
			segmentId: byId('={{ $json.segmentId }}'),
			contactId: byId('={{ $json.contactId }}'),
		},
		items((tenant, n) => ({
			segmentId: segments[tenants.indexOf(tenant)]!.id,
			contactId: contacts[tenants.indexOf(tenant)]![n]!.id,
		})),
	);
	for (const [i, tenant] of tenants.entries()) {
		assert.deepEqual(
			requestsOf(tenant, 'PUT /segments/{id}/members').map(({ body }) => body),
			[{ action: 'add', contactIds: contacts[i]!.map(({ id }) => id) }],
			tenant.name,
		);
	}
});
