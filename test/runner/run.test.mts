/** In which order items are prepared, combined and run, and what ends a run. */
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { planned } from '../../nodes/ConversationalMessaging/runner/operation.ts';
import type { ItemResult } from '../../nodes/ConversationalMessaging/runner/output.ts';
import { run } from '../../nodes/ConversationalMessaging/runner/run.ts';
import { INITIAL_LIMIT } from '../../nodes/ConversationalMessaging/api/rate/concurrencyLimit.ts';
import { later } from '../api/limiter.mts';
import { NODE } from '../api/node.mts';
import { field } from '../parameters/parameters.mts';

/** An input item: what the expressions of the node return for it. */
interface Item {
	/** The name of what it runs; empty for an unusable parameter. */
	text?: string;
	key?: string;
	operation?: string;
	resource?: string;
	/** What all items of a batch must have in common. */
	setting?: string;
	/** The token of its credential; "none" if it cannot be read. */
	token?: string;
}

interface Settings {
	continueOnFail?: boolean;
	signal?: AbortSignal;
	/** The inputs of a batch that fail while it runs. */
	failing?: string[];
	/** Whether work waits after it was sent. */
	waits?: boolean;
	/** What each input of a batch has as its own result. */
	each?: (input: string) => ItemResult;
}

const FIELDS = [field('text'), field('key'), field('setting')];

/** A run whose work ends when the test says so. */
class Execution {
	/** The work that has been started, in order. */
	readonly started: string[] = [];

	/** The items whose credential has been read. */
	readonly read: number[] = [];

	readonly hints: string[] = [];

	readonly output: Promise<INodeExecutionData[]>;

	private readonly underWay = new Map<string, (ended: { failure?: Error }) => void>();

	constructor(
		private readonly items: Item[],
		private readonly settings: Settings = {},
	) {
		const operations = [this.work(), this.join()];
		const resources = [
			{ name: 'Other', value: 'other', operations: [] },
			{ name: 'Thing', value: 'thing', operations },
		];
		this.output = run(this.context(), resources).then(([output]) => output!);
		// Its failure is looked at later.
		this.output.catch(() => undefined);
	}

	/** Ends the work with this name, as soon as possible. */
	async end(name: string, failure?: string): Promise<void> {
		await later();
		this.underWay.get(name)!({ failure: failure === undefined ? undefined : new Error(failure) });
		await later();
	}

	async endAll(): Promise<void> {
		await later();
		for (const name of this.underWay.keys()) await this.end(name);
	}

	/** The JSON of the output items, once everything has ended. */
	async json(): Promise<IDataObject[]> {
		return (await this.output).map((item) => item.json);
	}

	private async hold(name: string): Promise<void> {
		this.started.push(name);
		const { failure } = await new Promise<{ failure?: Error }>((resolve) =>
			this.underWay.set(name, resolve),
		);
		if (failure) throw failure;
	}

	/** Runs each item alone. */
	private work() {
		return planned({
			name: 'Work',
			value: 'work',
			action: 'Work',
			description: '',
			endpoint: 'GET /tickets',
			fields: FIELDS,
			orderingKey: (parameters) => parameters.text('key', 'leaveOut'),
			prepare: (parameters) => parameters.required('text'),
			run: async (context, text) => {
				await this.hold(text);
				context.notify(`done ${text}`);
				const outputs = [{ json: { text } }];
				if (!this.settings.waits) return outputs;
				return { outputs, pending: 'the end' };
			},
			wait: async (_context, text) => {
				await this.hold(`wait ${text}`);
				return [{ json: { text, waited: true } }];
			},
		});
	}

	/** Runs all items with the same key as one. Running it again does only what is left to do. */
	private join() {
		return planned<{ text: string; key: string }, string>({
			name: 'Join',
			value: 'join',
			action: 'Join',
			description: '',
			endpoint: 'GET /tickets',
			fields: FIELDS,
			prepare: (parameters) => ({
				text: parameters.required('text'),
				key: parameters.text('key', 'leaveOut') ?? '',
			}),
			isResumable: true,
			batch: ({ text, key }) => ({ key, input: text, perItem: ['text', 'key'] }),
			run: async (context, _plan, inputs) => {
				await this.hold(inputs.join('+'));
				for (const [position, input] of inputs.entries())
					if (this.settings.failing?.includes(input))
						context.failItem(position, new Error(`No ${input}`));
				if (this.settings.each) return { results: inputs.map(this.settings.each) };
				return [{ json: { text: inputs.join('+') } }];
			},
		});
	}

	private context(): IExecuteFunctions {
		const { items, settings, hints } = this;
		const value = (name: string, index: number): unknown => {
			if (name === 'resource') return items[index]!.resource ?? 'thing';
			if (name === 'operation') return items[index]!.operation ?? 'work';
			return items[index]![name as keyof Item];
		};
		const names = ['resource', 'operation', 'text', 'key', 'setting'];
		const parameters = Object.fromEntries(names.map((name) => [name, `={{ $json.${name} }}`]));
		const context: Partial<Record<keyof IExecuteFunctions, unknown>> = {
			getNode: () => ({ ...NODE, parameters }),
			getInputData: () => items.map(() => ({ json: {} })),
			getNodeParameter: (name: string, index: number, fallback: unknown) =>
				value(name, index) ?? fallback,
			getCredentials: async (_type: string, index: number) => {
				this.read.push(index);
				const { token = 'wa_pk_one' } = items[index]!;
				if (token === 'none') throw new Error('No credential');
				return { baseUrl: 'https://messaging.example.com/api/v2', apiToken: token };
			},
			continueOnFail: () => settings.continueOnFail ?? false,
			getExecutionCancelSignal: () => settings.signal,
			logger: { info: () => undefined },
			addExecutionHints: (...all: { message: string }[]) =>
				hints.push(...all.map(({ message }) => message)),
		};
		return context as unknown as IExecuteFunctions;
	}
}

const texts = (...names: string[]): Item[] => names.map((text) => ({ text }));
const numbered = (count: number): Item[] =>
	texts(...Array.from({ length: count }, (_, n) => `${n}`));

describe('items', () => {
	test('run at the same time, and are returned in their order, paired with their input', async () => {
		const execution = new Execution(texts('a', 'b', 'c'));
		await later();
		expect(execution.started).toStrictEqual(['a', 'b', 'c']);
		for (const name of ['c', 'a', 'b']) await execution.end(name);
		expect(await execution.output).toStrictEqual([
			{ json: { text: 'a' }, pairedItem: { item: 0 } },
			{ json: { text: 'b' }, pairedItem: { item: 1 } },
			{ json: { text: 'c' }, pairedItem: { item: 2 } },
		]);
	});

	test('that concern the same record run one after another, in their order', async () => {
		const execution = new Execution([
			{ text: 'a1', key: 'A' },
			{ text: 'b1', key: 'B' },
			{ text: 'a2', key: 'A' },
			{ text: 'a3', key: 'A' },
		]);
		await later();
		expect(execution.started).toStrictEqual(['a1', 'b1']);
		await execution.end('a1');
		expect(execution.started).toStrictEqual(['a1', 'b1', 'a2']);
		await execution.end('a2');
		expect(execution.started).toStrictEqual(['a1', 'b1', 'a2', 'a3']);
		await execution.end('b1');
		await execution.end('a3');
		expect(await execution.json()).toHaveLength(4);
	});

	test('run as many at once as the service carries', async () => {
		const execution = new Execution(numbered(INITIAL_LIMIT + 2));
		await later();
		expect(execution.started).toHaveLength(INITIAL_LIMIT);
		await execution.end('3');
		expect(execution.started).toHaveLength(INITIAL_LIMIT + 1);
		await execution.endAll();
		await execution.endAll();
		expect(await execution.json()).toHaveLength(INITIAL_LIMIT + 2);
	});

	test('of different tokens do not wait for each other, not even with the same key', async () => {
		const execution = new Execution([
			{ text: 'a', key: 'A', token: 'wa_pk_one' },
			{ text: 'b', key: 'A', token: 'wa_pk_two' },
		]);
		await later();
		expect(execution.started).toStrictEqual(['a', 'b']);
		await execution.endAll();
		expect(await execution.json()).toHaveLength(2);
	});

	test('show their notices once all have ended', async () => {
		const execution = new Execution(texts('a', 'b'));
		await execution.end('a');
		expect(execution.hints).toStrictEqual([]);
		await execution.end('b');
		await execution.output;
		expect(execution.hints).toStrictEqual(['done a', 'done b']);
	});
});

describe('an item that cannot be used', () => {
	test('ends the run before anything is sent, and so are all others named', async () => {
		const execution = new Execution(texts('a', '', 'c', '', ''));
		await expect(execution.output).rejects.toMatchObject({
			message: 'text is empty',
			description: expect.stringMatching(/More items cannot be used, among them items 3, 4\. /),
			context: { itemIndex: 1 },
		});
		expect(execution.started).toStrictEqual([]);
	});

	test('ends the run if its credential cannot be read', async () => {
		const execution = new Execution([{ text: 'a' }, { text: 'b', token: 'none' }, { text: 'c' }]);
		await expect(execution.output).rejects.toMatchObject({
			message: 'No credential',
			context: { itemIndex: 1 },
		});
		expect(execution.started).toStrictEqual([]);
		expect(execution.read).toStrictEqual([0, 1]);
	});

	test.each([
		['thing', 'fly'],
		['unknown', 'work'],
	])('ends the run if %s has no operation %s', async (resource, operation) => {
		const execution = new Execution([{ text: 'a' }, { text: 'b', resource, operation }]);
		await expect(execution.output).rejects.toMatchObject({
			message: `This node has no operation "${operation}" for the resource "${resource}"`,
			description: 'Choose Resource and Operation from their lists.',
			context: { itemIndex: 1 },
		});
	});
});

describe('an item that fails', () => {
	test('ends the run: nothing new is started, and what is under way ends first', async () => {
		const execution = new Execution(numbered(INITIAL_LIMIT + 2));
		await execution.end('0', 'No');
		expect(execution.started).toHaveLength(INITIAL_LIMIT);
		let isOver = false;
		execution.output.catch(() => (isOver = true));
		const done: string[] = [];
		for (let n = 1; n < INITIAL_LIMIT; n++) {
			expect(isOver).toBe(false);
			await execution.end(String(n));
			done.push(`done ${n}.`);
		}
		await expect(execution.output).rejects.toMatchObject({
			message: 'No',
			// n8n shows no hints for a node that throws.
			description: `${done.length} of ${INITIAL_LIMIT + 2} items had already succeeded; running the node again repeats them. ${done.join(' ')}`,
		});
		expect(execution.started).toHaveLength(INITIAL_LIMIT);
	});

	test('ends the run for the items that wait behind others, even if one under way succeeds', async () => {
		const items: Item[] = [
			{ text: 'a1', key: 'A' },
			{ text: 'a2', key: 'A' },
			{ text: 'b1', key: 'B' },
			{ text: 'b2', key: 'B' },
		];
		const execution = new Execution(items);
		await execution.end('a1', 'No');
		await execution.end('b1');
		await expect(execution.output).rejects.toThrow('No');
		expect(execution.started).toStrictEqual(['a1', 'b1']);
	});

	test('is an item of the output with Continue, and the others run', async () => {
		const items: Item[] = [
			{ text: 'a1', key: 'A' },
			{ text: 'a2', key: 'A' },
		];
		const execution = new Execution(items, { continueOnFail: true });
		await execution.end('a1', 'No');
		await execution.end('a2');
		expect(await execution.json()).toStrictEqual([{ error: 'No' }, { text: 'a2' }]);
	});
});

test.each([
	[['join', 'join'], 'continues with the others'],
	[['work', 'join'], 'repeats them'],
	[['work', 'work'], 'repeats them'],
])('after a failure of one of %j, running the node again %s', async (operations, again) => {
	const items = operations.map((operation, n) => ({ text: `${n}`, key: `${n}`, operation }));
	const execution = new Execution(items);
	await execution.end('0');
	await execution.end('1', 'No');
	await expect(execution.output).rejects.toMatchObject({
		description: expect.stringContaining(
			`1 of 2 items had already succeeded; running the node again ${again}.`,
		),
	});
});

describe('items of a batch', () => {
	const joined = (...items: Item[]): Item[] =>
		items.map((item) => ({ ...item, operation: 'join' }));

	test('run as one, paired with all of them', async () => {
		const execution = new Execution(joined(...texts('a', 'b', 'c')));
		await execution.end('a+b+c');
		expect(await execution.output).toStrictEqual([
			{ json: { text: 'a+b+c' }, pairedItem: [{ item: 0 }, { item: 1 }, { item: 2 }] },
		]);
	});

	test('run apart if their keys, tokens or operations differ', async () => {
		const execution = new Execution([
			...joined({ text: 'a', key: 'A' }, { text: 'b', key: 'B' }),
			...joined({ text: 'c', key: 'A', token: 'wa_pk_two' }, { text: 'd', key: 'A' }),
			{ text: 'e', key: 'A' },
		]);
		await later();
		expect([...execution.started].sort()).toStrictEqual(['a+d', 'b', 'c', 'e']);
		await execution.endAll();
		expect(await execution.json()).toStrictEqual(['a+d', 'b', 'c', 'e'].map((text) => ({ text })));
	});

	test('whose settings differ end the run before anything is sent', async () => {
		const items = joined({ text: 'a', setting: 'x' }, { text: 'b', setting: 'y' });
		const execution = new Execution([...texts('alone'), ...items]);
		await expect(execution.output).rejects.toMatchObject({
			message: 'setting differs between input items: "x" (item 1), "y" (item 2)',
			description: expect.stringContaining('use one value for all of them'),
			context: { itemIndex: 1 },
		});
		expect(execution.started).toStrictEqual([]);
	});

	test('may fail alone with Continue: the others are paired with what comes out', async () => {
		const settings = { continueOnFail: true, failing: ['b', 'd'] };
		const execution = new Execution(joined(...texts('a', 'b', 'c', 'd')), settings);
		await execution.end('a+b+c+d');
		expect(await execution.output).toStrictEqual([
			{ json: { text: 'a+b+c+d' }, pairedItem: [{ item: 0 }, { item: 2 }] },
			{ json: { error: 'No b' }, pairedItem: { item: 1 } },
			{ json: { error: 'No d' }, pairedItem: { item: 3 } },
		]);
	});

	test('end the run with the first that fails alone', async () => {
		const execution = new Execution(joined(...texts('a', 'b', 'c')), { failing: ['b', 'c'] });
		await execution.end('a+b+c');
		await expect(execution.output).rejects.toMatchObject({
			message: 'No b',
			context: { itemIndex: 1 },
		});
	});

	describe('with results of their own', () => {
		const each = (input: string): ItemResult => {
			if (input === 'failing') return { thrown: new Error('No') };
			return input === 'left' ? undefined : { output: { json: { own: input } } };
		};
		const items = [...joined(...texts('a', 'failing', 'b')), { text: 'alone' }];

		test('are paired each with its input, with Continue', async () => {
			const execution = new Execution(items, { continueOnFail: true, each });
			await execution.end('a+failing+b');
			await execution.end('alone');
			expect(await execution.output).toStrictEqual([
				{ json: { own: 'a' }, pairedItem: { item: 0 } },
				{ json: { error: 'No' }, pairedItem: { item: 1 } },
				{ json: { own: 'b' }, pairedItem: { item: 2 } },
				{ json: { text: 'alone' }, pairedItem: { item: 3 } },
			]);
		});

		test('end the run if one failed, and nothing new is started', async () => {
			const work = [...joined(...texts('a', 'failing', 'left')), ...numbered(INITIAL_LIMIT + 2)];
			const execution = new Execution(work, { each });
			await execution.end('a+failing+left');
			await execution.end('0');
			expect(execution.started).toHaveLength(INITIAL_LIMIT);
			await execution.endAll();
			await expect(execution.output).rejects.toMatchObject({ context: { itemIndex: 1 } });
		});
	});
});

describe('items that wait', () => {
	test('hold nobody up: all are sent before the first wait begins', async () => {
		const all = numbered(INITIAL_LIMIT + 2);
		const names = all.map(({ text }) => text);
		const execution = new Execution(all, { waits: true });
		await execution.endAll();
		expect(execution.started.slice(0, names.length)).toStrictEqual(names);
		expect(execution.started.slice(names.length).every((name) => name.startsWith('wait'))).toBe(
			true,
		);
		await execution.endAll();
		expect(await execution.json()).toStrictEqual(names.map((text) => ({ text, waited: true })));
	});

	test('do not wait if another item has failed', async () => {
		const execution = new Execution(texts('a', 'b'), { waits: true });
		await execution.end('a');
		await execution.end('b', 'No');
		await expect(execution.output).rejects.toMatchObject({
			message: 'No',
			description: expect.stringMatching(/^1 of 2 items/),
		});
		expect(execution.started).toStrictEqual(['a', 'b']);
	});
});

describe('an execution that the user stops', () => {
	test('reads and runs nothing if it was stopped before', async () => {
		const execution = new Execution(texts('a'), { signal: AbortSignal.abort() });
		await expect(execution.output).rejects.toThrow('The execution was canceled');
		expect([execution.read, execution.started]).toStrictEqual([[], []]);
	});

	test('starts nothing more, and ends when what is under way has ended, even with Continue', async () => {
		const stop = new AbortController();
		const items: Item[] = [
			{ text: 'a1', key: 'A' },
			{ text: 'a2', key: 'A' },
		];
		const execution = new Execution(items, { signal: stop.signal, continueOnFail: true });
		await later();
		stop.abort();
		await execution.end('a1');
		await expect(execution.output).rejects.toThrow('The execution was canceled');
		expect(execution.started).toStrictEqual(['a1']);
	});
});
