import { ExecuteContext } from 'n8n-core';
import type { IDataObject, INodeListSearchResult, INodeParameters } from 'n8n-workflow';
import type { Engine } from '../../tools/engine/engine.mts';
import { ACTION_NODE } from '../../tools/engine/workflows.mts';
import type { Fault, FaultRule } from '../../sandbox/faults.mts';
import type { SandboxSettings } from '../../sandbox/options.mts';
import { seedWorld } from '../../sandbox/seed.mts';
import { startSandbox, type ReceivedRequest, type Sandbox } from '../../sandbox/server.mts';
import { World } from '../../sandbox/world.mts';
import { openChat } from '../support/openChat.mts';
import { FakeTime } from '../support/time.mts';
import { byId, loadEngine, runNode, type NodeRun, type Outcome } from './harness.mts';

/** Which requests get a prepared response; the next one if nothing is given. */
type Rule = Omit<FaultRule, 'fault'>;

/** What of a sandbox can change between tests. */
type Refill = Pick<SandboxSettings, 'contacts' | 'tickets' | 'pageCap' | 'shapes' | 'rateLimit'>;

/** The next requests of a route, such as "GET /contacts", or of a method. */
export const on = (of: string, times = 1): Rule => ({
	times,
	matches: ({ route, method }) => of === route || of === method,
});

/** The input items with which each output item is paired: one as a number, several as a list. */
export const pairs = (items: { pairedItem?: unknown }[]): (number | number[])[] =>
	items.map(({ pairedItem }) =>
		Array.isArray(pairedItem)
			? (pairedItem as { item: number }[]).map(({ item }) => item)
			: (pairedItem as { item: number }).item,
	);

/** Until the end of the test, nodes write here instead of to n8n's log. */
export function captureLog(
	write: (...entry: unknown[]) => void,
	Context: { prototype: { logger: object } } = ExecuteContext,
): void {
	const logger = { debug: write, info: write, warn: write, error: write };
	jest.spyOn(Context.prototype, 'logger', 'get').mockReturnValue(logger);
}

/** The run goes on after an item that failed. */
export const CONTINUE: NodeRun = { settings: { onError: 'continueRegularOutput' } };

/**
 * One sandbox and engine for all tests of a file. Before each test, the service has the same records as at first, the
 * usual shapes, no faults, and no requests. Create it at the top of the file.
 */
export class SharedHarness {
	/** The time of the test; it passes only when something waits. */
	time = new FakeTime();
	private opened?: { sandbox: Sandbox; engine: Engine };
	private reset: (settings: Refill) => void = () => undefined;
	/** Whether the service is as at first. It is reset when a test first uses it, since some tests do not. */
	private isReset = false;

	/** @param usesFakeTime false for tests of n8n's own waits, which use the real time */
	constructor(settings: SandboxSettings = {}, usesFakeTime = true) {
		const clock = { now: () => this.time.clock.now() };
		beforeAll(async () => {
			const sandbox = await startSandbox({
				rateLimit: { requests: 0 },
				...(usesFakeTime && { clock }),
				...settings,
			});
			this.opened = { sandbox, engine: await loadEngine() };
			this.reset = resetOf(sandbox);
		});
		beforeEach(() => {
			// A new day: the rate limiter has forgotten the previous test.
			if (usesFakeTime) this.time = new FakeTime().install();
			this.isReset = false;
		});
		afterEach(() => {
			if (usesFakeTime) this.time.restore();
			jest.restoreAllMocks();
		});
		afterAll(async () => await this.opened?.sandbox.close());
	}

	private get open(): { sandbox: Sandbox; engine: Engine } {
		if (!this.opened) throw new Error('The harness opens with the first test');
		if (!this.isReset) this.refill();
		return this.opened;
	}
	get engine(): Engine {
		return this.open.engine;
	}
	get sandbox(): Sandbox {
		return this.open.sandbox;
	}
	get world(): World {
		return this.sandbox.world;
	}
	get shapes(): Sandbox['options']['shapes'] {
		return this.sandbox.options.shapes;
	}
	get requests(): ReceivedRequest[] {
		return this.sandbox.requests;
	}
	/** The one with which nodes run, unless a run names another base URL or token. */
	get credential(): { baseUrl: string; apiToken: string } {
		return { baseUrl: this.sandbox.baseUrl, apiToken: this.sandbox.tokens.all.value };
	}

	/** An agent, as a field for one. */
	get agentId(): ReturnType<typeof byId> {
		return byId(this.world.users.newestFirst().next().value!.id);
	}

	/** A text of an agent to a customer who wrote within the last twelve hours, which the service accepts. */
	message(more: INodeParameters = {}): INodeParameters {
		const to = more.to ?? byId(openChat(this.world).to);
		const text = { resource: 'message', operation: 'send', text: 'Hello' };
		return { ...text, to, agentId: this.agentId, ...more };
	}

	/** Until the end of the test, the service is as at first except for these settings. */
	refill(settings: Refill = {}): void {
		this.isReset = true;
		this.reset(settings);
	}

	/** Runs the action node with these parameters. */
	async run(parameters: INodeParameters, options?: NodeRun): Promise<Outcome> {
		return await runNode(this.engine, this.sandbox, parameters, options);
	}

	/** The output of a run that must succeed. */
	async ok(parameters: INodeParameters, options?: NodeRun): Promise<IDataObject[]> {
		const { json, error } = await this.run(parameters, options);
		expect(error).toBeUndefined();
		return json;
	}

	/** The error of a run that must fail. */
	async error(
		parameters: INodeParameters,
		options?: NodeRun,
	): Promise<NonNullable<Outcome['error']>> {
		const { error } = await this.run(parameters, options);
		expect(error).toBeDefined();
		return error!;
	}

	/** The error of a run that must fail before anything is sent. */
	async rejected(
		parameters: INodeParameters,
		options?: NodeRun,
	): Promise<NonNullable<Outcome['error']>> {
		const error = await this.error(parameters, options);
		expect(this.requests).toStrictEqual([]);
		return error;
	}

	/** A list that users pick from, as the editor reads it. */
	async search(
		method: string,
		parameters: INodeParameters = {},
		more: { filter?: string; paginationToken?: string; apiToken?: string } = {},
	): Promise<INodeListSearchResult> {
		const { apiToken = this.credential.apiToken, ...options } = more;
		const credential = { ...this.credential, apiToken };
		return await this.engine.search(ACTION_NODE, method, { credential, parameters, ...options });
	}

	/** A signal with which the user stops the execution as soon as a request that matches is under way. */
	stopDuring(matches: NonNullable<Rule['matches']>, fault: Fault = { kind: 'hang' }): AbortSignal {
		const stop = new AbortController();
		const stops: Rule['matches'] = (request) => {
			const isUnderWay = matches(request);
			if (isUnderWay) setImmediate(() => stop.abort());
			return isUnderWay;
		};
		this.sandbox.faults.add(fault, { matches: stops });
		return stop.signal;
	}

	/** The requests of a route, such as "GET /contacts". */
	sent(route: string): ReceivedRequest[] {
		return this.requests.filter((request) => request.route === route);
	}

	/** Their bodies; empty for a request with a prepared response, which the sandbox does not read. */
	bodies(route: string): IDataObject[] {
		return this.sent(route).map(({ body }) => (body ?? {}) as IDataObject);
	}

	/** The routes of all requests, in their order. */
	routes(): string[] {
		return this.requests.map(({ method, route }) => route ?? method);
	}

	/** Requests are rejected with this status, and with this JSON if it is given. */
	reject(status: number, rule?: Rule, json?: unknown): void {
		if (json === undefined) this.sandbox.faults.add({ kind: 'status', status }, rule);
		else this.respondWith('application/json', JSON.stringify(json), rule, status);
	}

	/** Requests get this JSON instead of the sandbox's. */
	respond(json: unknown, rule?: Rule): void {
		this.respondWith('application/json', JSON.stringify(json), rule);
	}

	/** Requests get this text as their response. */
	respondWith(type: string, body: string, rule?: Rule, status = 200): void {
		const headers = { 'content-type': type };
		this.sandbox.faults.add({ kind: 'status', status, headers, body }, rule);
	}
}

/** What makes a sandbox again what it is now. The world of its second organization stays as it is. */
function resetOf({ world, options, tokens, faults, requests }: Sandbox): (more: Refill) => void {
	const { contacts, tickets, pageCap } = options;
	const shapes = { ...options.shapes };
	const rateLimit = { ...options.rateLimit };
	const permissions = Object.values(tokens).map((token) => [token, token.permissions] as const);
	return ({ shapes: otherShapes, rateLimit: otherLimit, ...others }) => {
		Object.assign(options, { contacts, tickets, pageCap, ...others });
		Object.assign(options.shapes, shapes, otherShapes);
		Object.assign(options.rateLimit, rateLimit, otherLimit);
		const fresh = new World(options.clock, options.seed, options.shapes.plus);
		seedWorld(fresh, options);
		fresh.credits = { ...options.credits };
		Object.assign(world, fresh);
		for (const [token, own] of permissions) token.permissions = own;
		faults.clear();
		requests.length = 0;
	};
}
