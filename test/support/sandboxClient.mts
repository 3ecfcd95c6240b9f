import { deserialize, serialize } from 'node:v8';
import axios, { type AxiosInstance, type AxiosRequestConfig } from 'axios';
import { startSandbox, type Sandbox } from '../../sandbox/server.mts';
import { ManualClock } from '../../sandbox/clock.mts';
import type { SandboxSettings } from '../../sandbox/options.mts';
import type { Table } from '../../sandbox/table.mts';
import type { World } from '../../sandbox/world.mts';

/** A response: its status, and what is in its envelope. Of a file, `data` is the text. */
interface Answer {
	status: number;
	data: any;
	meta: any;
	error: any;
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** A sandbox with a stopped clock and few records, and a plain HTTP client for it. */
export interface Service {
	sandbox: Sandbox;
	world: World;
	clock: ManualClock;
	/** Whole responses. The other functions return what is in them. */
	http: AxiosInstance;
	as: (token: string) => AxiosInstance;
	get: (path: string, params?: object) => Promise<Answer>;
	delete: (path: string, params?: object) => Promise<Answer>;
	post: (path: string, body?: object) => Promise<Answer>;
	put: (path: string, body?: object) => Promise<Answer>;
	patch: (path: string, body?: object) => Promise<Answer>;
	/** Uploads a CSV file with the fields of a form. */
	upload: (path: string, csv: string, fields?: Record<string, string>) => Promise<Answer>;
	/** Status and error of a request. Fails if the request changes anything. */
	rejected: (method: Method, path: string, sent?: object) => Promise<[number, string]>;
	close: () => Promise<void>;
}

/** Everything that the service knows, to compare before and after. */
export const stateOf = (world: World): unknown => deserialize(bytesOf(world));

function bytesOf(world: World): Buffer {
	const { contacts, chats, tickets, segments, templates, broadcasts, imports, flows } = world;
	const { channels, users, messages, credits, organization } = world;
	const tables = { contacts, chats, tickets, segments, templates, broadcasts, imports, flows };
	const rows = Object.entries({ ...tables, channels, users }).map(([name, table]) => [
		name,
		[...(table as Table<{ id: string }>).newestFirst()],
	]);
	return serialize({ rows, messages, credits, organization });
}

/** A form with fields and a CSV file. */
export function formOf(fields: Record<string, string>, csv?: string): FormData {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.append(name, value);
	if (csv !== undefined) form.append('file', new Blob([csv]), 'people.csv');
	return form;
}

export async function startService(settings: SandboxSettings = {}): Promise<Service> {
	const clock = new ManualClock();
	const sandbox = await startSandbox({ clock, contacts: 30, tickets: 60, ...settings });
	const { world } = sandbox;
	const as = (token: string) =>
		axios.create({
			baseURL: sandbox.baseUrl,
			headers: { Authorization: `Bearer ${token}` },
			validateStatus: () => true,
			maxRedirects: 0,
		});
	const http = as(sandbox.tokens.all.value);
	const answer = async (config: AxiosRequestConfig): Promise<Answer> => {
		const { status, data: body } = await http.request(config);
		return { status, data: body.data ?? body, meta: body.meta, error: body.error };
	};
	const withQuery = (method: Method) => async (url: string, params?: object) =>
		await answer({ method, url, params });
	const withBody = (method: Method) => async (url: string, data?: object) =>
		await answer({ method, url, data });
	const send = {
		get: withQuery('get'),
		delete: withQuery('delete'),
		post: withBody('post'),
		put: withBody('put'),
		patch: withBody('patch'),
	};
	return {
		sandbox,
		world,
		clock,
		http,
		as,
		...send,
		upload: async (path, csv, fields = {}) => await send.post(path, formOf(fields, csv)),
		rejected: async (method, path, sent) => {
			const before = bytesOf(world);
			const { status, error } = await send[method](path, sent);
			const after = bytesOf(world);
			// Bytes are compared much faster than records.
			if (!after.equals(before)) expect(deserialize(after)).toStrictEqual(deserialize(before));
			return [status, error as string];
		},
		close: async () => await sandbox.close(),
	};
}

/** One for all tests of a file, by default without a rate limit. Call it at the top of the file. */
export function useService(settings: SandboxSettings = {}): Service {
	const service = {} as Service;
	beforeAll(async () => {
		Object.assign(service, await startService({ rateLimit: { requests: 0 }, ...settings }));
	});
	afterAll(async () => await service.close());
	return service;
}
