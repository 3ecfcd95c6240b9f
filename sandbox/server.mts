import multipart from '@fastify/multipart';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { authorize, sandboxTokens } from './access.mts';
import { readContract, routesOf, type PageSize, type Route } from './contract.mts';
import { CUT_BODIES, Faults, PROXY_PAGE, TRICKLES, type Fault, type Trickle } from './faults.mts';
import { readBody, type UploadedFile } from './requestBody.mts';
import { withDefaults, type SandboxOptions, type SandboxSettings } from './options.mts';
import { RateLimiter } from './rateLimit.mts';
import { chunked, HttpError, type Reply, notFound } from './replies.mts';
import { seedWorld } from './seed.mts';
import { handlers } from './services/index.mts';
import { envelope, errorBody } from './shapes.mts';
import {
	ContractChecker,
	type CheckedQuery,
	type ContractRequest,
	type Operation,
} from './validate.mts';
import { World } from './world.mts';
import { Workload } from './workload.mts';

const BASE_PATH = '/api/v2';

const MAX_UPLOAD_BYTES = 512 * 1024 * 1024;

/** A request as it was received, for tests that check what was sent. */
export interface ReceivedRequest {
	method: string;
	/** The route of the contract, as "GET /tickets/{id}"; undefined if there is none. */
	route?: string;
	/** Without /api/v2 and without the query. */
	path: string;
	query: Record<string, string>;
	headers: Record<string, string | string[] | undefined>;
	body: unknown;
	/** The file of an upload. */
	file?: Omit<UploadedFile, 'text'>;
	/** Status of the response; 0 if the connection was cut. */
	status: number;
	/** The parts of it that the contract does not allow. */
	violation?: string;
	/** What the service used of it, once it was allowed: "query status", "body title". */
	used: Set<string>;
	/** Of a JSON body as it was received, in hexadecimal. A file has its own. */
	sha256?: string;
}

export interface Sandbox {
	/** Ends in /api/v2. */
	baseUrl: string;
	tokens: ReturnType<typeof sandboxTokens>;
	world: World;
	/** The records of a second organization, which only its own token can access. Created on first use. */
	readonly otherWorld: World;
	faults: Faults;
	rateLimiter: RateLimiter;
	workload: Workload;
	options: SandboxOptions;
	/** The latest requests, oldest first. */
	requests: ReceivedRequest[];
	close(): Promise<void>;
}

/** The state of a request while it is being handled. */
interface Exchange {
	request: FastifyRequest;
	reply: FastifyReply;
	path: string;
	received: ReceivedRequest;
	/** Its route in the contract; undefined if there is none. */
	operation?: Operation;
	route?: Route;
}

/** Read and compiled once: it takes longer than everything else at the start of a sandbox, and keeps no state. */
let compiled: Promise<{ routes: Map<string, Route>; checker: ContractChecker }> | undefined;

async function compile() {
	const contract = readContract();
	return { routes: routesOf(contract), checker: await ContractChecker.of(contract) };
}

/** Starts the messaging service on loopback, filled with invented data. */
export async function startSandbox(settings: SandboxSettings = {}): Promise<Sandbox> {
	const options = withDefaults(settings);
	const { routes, checker } = await (compiled ??= compile());
	const world = filledWorld(options);

	const app = Fastify({
		forceCloseConnections: true,
		bodyLimit: MAX_UPLOAD_BYTES,
	});
	await app.register(multipart, {
		limits: { fieldSize: MAX_UPLOAD_BYTES },
	});
	app.removeContentTypeParser('application/json');
	app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

	// By its own clock, as everything else: Node.js would take the machine's.
	app.addHook('onRequest', (_request, reply, done) => {
		void reply.header('date', new Date(options.clock.now()).toUTCString());
		done();
	});

	const service = new SandboxServer(options, routes, checker, world);
	app.all('/*', (request, reply) => service.respond(request, reply));
	await app.listen({ port: options.port, host: '127.0.0.1' });
	const { port } = app.server.address() as AddressInfo;
	return service.sandboxAt(`http://127.0.0.1:${port}${BASE_PATH}`, app);
}

function filledWorld(options: SandboxOptions): World {
	const world = new World(options.clock, options.seed, options.shapes.plus);
	seedWorld(world, options);
	world.credits = { ...options.credits };
	return world;
}

class SandboxServer {
	readonly faults = new Faults();
	readonly workload: Workload;

	readonly requests: ReceivedRequest[] = [];
	private readonly tokens: ReturnType<typeof sandboxTokens>;
	private readonly limiter: RateLimiter;
	private lazyWorld?: World;

	constructor(
		private readonly options: SandboxOptions,
		private readonly routes: Map<string, Route>,
		private readonly checker: ContractChecker,
		private readonly world: World,
	) {
		this.tokens = sandboxTokens(routes.values(), options.clock);
		this.limiter = new RateLimiter(options.rateLimit);
		this.workload = new Workload(options.capacity);
	}

	/** Different records from the first organization's, with different IDs but the same ticket numbers. */
	private get otherWorld(): World {
		const { options } = this;
		return (this.lazyWorld ??= filledWorld({ ...options, seed: options.seed + 1 }));
	}

	sandboxAt(baseUrl: string, app: FastifyInstance): Sandbox {
		const { tokens, world, faults, limiter: rateLimiter, workload, options, requests } = this;
		const otherWorld = () => this.otherWorld;
		return {
			baseUrl,
			get otherWorld() {
				return otherWorld();
			},
			tokens,
			world,
			faults,
			rateLimiter,
			workload,
			options,
			requests,
			close: () => app.close(),
		};
	}

	async respond(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
		const started = performance.now();
		const url = new URL(request.url, 'http://sandbox.internal');
		const path = url.pathname.startsWith(`${BASE_PATH}/`)
			? url.pathname.slice(BASE_PATH.length)
			: url.pathname;
		const query = request.query as Record<string, string>;
		const operation = this.operationOf(request, url.pathname);
		const route = operation && this.routes.get(operation.operationId as string);
		const received: ReceivedRequest = {
			method: request.method,
			route: route?.name,
			path,
			query,
			headers: request.headers,
			body: undefined,
			status: 0,
			used: new Set(),
			sha256: Buffer.isBuffer(request.body) ? sha256Of(request.body) : undefined,
		};
		this.record(received);
		reply.raw.once('close', () => this.log(received, url.search, performance.now() - started));

		const fault = this.faults.next(received);
		const latency = this.options.latencyMs + (fault?.kind === 'latency' ? fault.ms : 0);
		if (fault?.kind === 'held') await fault.until;
		if (latency > 0) await delay(this.workload.msUntilDone(performance.now(), latency));
		const exchange = { request, reply, path: url.pathname, received, operation, route };
		if (fault && (await this.applyFault(fault, exchange))) return reply;
		await this.serve(exchange);
		return reply;
	}

	private operationOf(request: FastifyRequest, path: string): Operation | undefined {
		const headers = request.headers as Record<string, string>;
		return this.checker.match({ method: request.method, path, headers });
	}

	/** Applies a fault to a request. @returns whether it replaces the response */
	private async applyFault(fault: Fault, exchange: Exchange): Promise<boolean> {
		const { reply, request } = exchange;
		switch (fault.kind) {
			case 'held':
			case 'latency':
				return false;
			case 'status':
				return this.send(
					exchange,
					fault.status,
					fault.headers ?? {},
					fault.body ??
						errorBody(this.options.shapes.errors, fault.status, 'Something went wrong').body,
				);
			case 'html':
				return this.send(exchange, fault.status, { 'content-type': 'text/html' }, PROXY_PAGE);
			case 'redirect':
				return this.send(exchange, 302, { location: fault.location }, '');
			case 'reset':
			case 'hang': {
				if (fault.when === 'after') await this.responseTo(exchange);
				reply.hijack();
				if (fault.kind === 'reset') request.raw.socket.resetAndDestroy();
				return true;
			}
			case 'cut': {
				const { type, text } = CUT_BODIES[fault.of ?? 'csv'];
				reply.hijack();
				reply.raw.writeHead(200, { 'content-type': type, 'content-length': '100000' });
				reply.raw.write(text);
				// After what was written, and before the announced length.
				if (!fault.stalls) request.raw.socket.end();
				return true;
			}
			case 'trickle':
				reply.hijack();
				trickle(request.raw, fault);
				return true;
			case 'truncate': {
				const { reply: done, status } = await this.responseTo(exchange);
				const whole =
					done && done.kind !== 'csv'
						? JSON.stringify(envelope(done, this.options.shapes.lists))
						: '{"success":true,"data":[';
				return this.send(
					exchange,
					status,
					{ 'content-type': 'application/json' },
					whole.slice(0, Math.ceil(whole.length / 2)),
				);
			}
		}
	}

	private async serve(exchange: Exchange): Promise<void> {
		const { headers, reply, status, message } = await this.responseTo(exchange);
		exchange.reply.headers(headers);
		if (!reply) {
			const { type, body } = errorBody(this.options.shapes.errors, status, message ?? '');
			this.send(exchange, status, { 'content-type': type }, body);
		} else if (reply.kind === 'csv') {
			const csv =
				typeof reply.csv === 'string'
					? reply.csv
					: Readable.from(chunked(reply.csv as Iterable<string>));
			const disposition = `attachment; filename="${reply.fileName}"`;
			this.send(
				exchange,
				200,
				{ 'content-type': 'text/csv; charset=utf-8', 'content-disposition': disposition },
				csv,
			);
		} else {
			const body = JSON.stringify(envelope(reply, this.options.shapes.lists));
			this.send(exchange, 200, { 'content-type': 'application/json; charset=utf-8' }, body);
		}
		this.shiftRows(exchange.received.path);
	}

	/** The service's response to a request, without sending it. */
	private async responseTo(
		exchange: Exchange,
	): Promise<{ status: number; headers: Record<string, string>; reply?: Reply; message?: string }> {
		const headers: Record<string, string> = {};
		try {
			return { status: 200, headers, reply: await this.handle(exchange, headers) };
		} catch (error) {
			if (!(error instanceof HttpError)) throw error;
			return { status: error.status, headers, message: error.message };
		}
	}

	private async handle(
		{ request, path, received, operation, route }: Exchange,
		headers: Record<string, string>,
	): Promise<Reply> {
		const { world } = this;
		const { options } = this;
		const contractRequest = {
			method: request.method,
			path,
			query: received.query,
			headers: request.headers as Record<string, string>,
		};
		const token = authorize(
			request.headers.authorization,
			Object.values(this.tokens),
			route,
			world.now(),
			options.routesWithoutPermission,
		);
		if (!operation || !route) throw notFound('Route');
		if (options.rateLimit.requests > 0 && (route.limited || options.rateLimit.routes === 'all')) {
			const counted = this.limiter.count(token.value, world.now());
			Object.assign(headers, counted.headers);
			if (!counted.allowed) throw new HttpError(429, 'Too many requests');
		}
		const { upload, query } = await this.checked(request, contractRequest, operation, received);
		const handler = handlers[route.operationId];
		if (!handler) throw new Error(`No handler for ${route.operationId}`);
		return handler({
			world: token.organization === 'own' ? world : this.otherWorld,
			options,
			params: this.checker.pathParams(contractRequest, operation),
			query: watched(query, (name) => received.used.add(`query ${name}`)),
			body: watched((upload.body ?? {}) as Record<string, unknown>, (name) =>
				received.used.add(`body ${name}`),
			),
			file: upload.file,
			pageSize: route.pageSize && cappedAt(options.pageCap, route.pageSize),
		});
	}

	/** @throws HttpError 400 if the contract does not allow the request */
	private async checked(
		request: FastifyRequest,
		contractRequest: ContractRequest,
		operation: Operation,
		received: ReceivedRequest,
	): Promise<{ upload: Awaited<ReturnType<typeof readBody>>; query: CheckedQuery }> {
		try {
			const upload = await readBody(request, operation);
			received.body = upload.body;
			if (upload.file) {
				const { text: _text, ...file } = upload.file;
				received.file = file;
			}
			return {
				upload,
				query: this.checker.check({ ...contractRequest, body: upload.body }, operation),
			};
		} catch (error) {
			if (error instanceof HttpError) received.violation = error.message;
			throw error;
		}
	}

	private send(
		{ reply, received }: Exchange,
		status: number,
		headers: Record<string, string>,
		body: string | Buffer | Readable,
	): true {
		received.status = status;
		void reply.code(status).headers(headers).send(body);
		return true;
	}

	/** New records at the head of a list shift all later rows. */
	private shiftRows(path: string): void {
		const shift = this.faults.shifts.get(path);
		if (!shift || shift.left <= 0) return;
		shift.left--;
		for (let i = 0; i < shift.records; i++) {
			if (path === '/tickets') this.world.addTicket({ title: 'Arrived while the list was read' });
			if (path === '/contacts')
				this.world.addContact({
					name: 'Arrived while the list was read',
					igId: `shift-${this.world.newId()}`,
				});
		}
	}

	private record(received: ReceivedRequest): void {
		this.requests.push(received);
		if (this.requests.length > 20_000) this.requests.splice(0, 10_000);
	}

	private log({ method, path, status }: ReceivedRequest, search: string, ms: number): void {
		const result = status === 0 ? 'cut' : String(status);
		this.options.log?.(`${method.padEnd(6)} ${path}${search}  ${result}  ${ms.toFixed(1)} ms`);
	}
}

/** Sends a response, or reads an upload, a few bytes at a time until the client closes the connection. */
function trickle(request: IncomingMessage, { of, everyMs = 1_000, begin, onClose }: Trickle): void {
	const { socket } = request;
	let onFifth: (() => void) | undefined;
	const piece = (count: number): void => {
		// Only who reads a connection to its end notices that it is closed.
		if (of !== 'upload') socket.write(TRICKLES[of][count === 1 ? 0 : 1]);
		else if (count <= 10) request.read(1);
		else request.resume();
		if (count === 1) onFifth = begin?.();
		if (count === 5) onFifth?.();
	};
	let count = 0;
	const timer = setInterval(() => piece(++count), everyMs);
	socket.on('error', () => undefined);
	socket.once('close', () => {
		clearInterval(timer);
		onClose?.(count);
	});
}

const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** The same object, which reports the names that are read from it. */
const watched = <T extends Record<string, unknown>>(values: T, onRead: (name: string) => void): T =>
	new Proxy(values, {
		get(target, name) {
			if (typeof name === 'string' && Object.hasOwn(target, name)) onRead(name);
			return Reflect.get(target, name) as unknown;
		},
	});

const cappedAt = (most: number, size: PageSize): PageSize => ({
	...size,
	cap: Math.min(size.cap, most),
});
