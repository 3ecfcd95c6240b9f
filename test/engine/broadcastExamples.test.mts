/** The example workflows of broadcasts, and reports. */
import axios from 'axios';
import type { IDataObject } from 'n8n-workflow';
import { outputOf } from '../../tools/engine/engine.mts';
import type { WorkflowFile } from '../../tools/engine/workflows.mts';
import { ExampleHarness, inputOf, waitingExecutions } from './exampleHarness.mts';
import { on } from './sharedHarness.mts';

const service = new ExampleHarness();

describe('the example that previews a broadcast and asks somebody', () => {
	const executions = waitingExecutions(service);

	const start = async (change: (workflow: WorkflowFile) => void = () => undefined) => {
		const workflow = service.filledIn('broadcast-preview');
		change(workflow);
		return await executions.run(workflow, { credential: service.credential });
	};

	/** The text of the message with the links. */
	const question = (): string => {
		const sent = service.bodies('POST /messages');
		expect(sent).toHaveLength(1);
		return sent[0]!.text as string;
	};

	const press = async (label: string, approved: boolean) => {
		const link = new RegExp(`^${label}: (.*)$`, 'm').exec(question())?.[1] ?? '';
		await axios.post(link, new URLSearchParams({ approved: String(approved) }));
	};

	/** What the workflow wrote besides the question. */
	const wrote = () =>
		service.requests
			.filter(({ method, route }) => method !== 'GET' && route !== 'POST /messages')
			.map(({ route, body }) => [route, body]);

	it('sends the broadcast once it is approved', async () => {
		const id = await start();
		expect(executions.runOf(id).status).toBe('waiting');
		expect(question()).toMatch(/^\d+ recipients, .*Send this broadcast\?/s);
		expect(wrote()).toStrictEqual([]);
		await press('Send', true);
		expect(executions.runOf(id).status).toBe('success');
		const [preview] = outputOf(executions.runOf(id), 'Preview');
		const { name, recipients, template } = preview!.json as IDataObject & { template: IDataObject };
		expect(template.components).toHaveLength(3);
		expect(wrote()).toStrictEqual([
			[
				'POST /broadcasts',
				expect.objectContaining({
					name,
					templateName: template.name,
					templateLanguage: template.language,
					templateComponents: template.components,
				}),
			],
		]);
		expect(wrote()[0]![1]).toHaveProperty('recipients.length', recipients);
	});

	it('starts it at the time that was approved', async () => {
		const sendAt = new Date(Date.now() + 86_400_000).toISOString();
		const id = await start(({ nodes }) => {
			const { parameters } = nodes.find(({ name }) => name === 'Preview')!;
			Object.assign(parameters, { scheduleType: 'schedule', sendAt });
		});
		await press('Send', true);
		const [preview] = outputOf(executions.runOf(id), 'Preview');
		const { at } = preview!.json.start as { at: string };
		const [{ scheduleType, sendAt: started } = {}] = service.bodies('POST /broadcasts');
		expect([scheduleType, Date.parse(started as string)]).toStrictEqual([
			...['schedule', Date.parse(at)],
		]);
	});

	it.each<[what: string, end: (id: string) => Promise<unknown>]>([
		['it is not approved', async () => await press('Do not send', false)],
		['nobody responds in time', async (id) => await executions.timeUp(id)],
	])('creates a ticket if %s', async (_what, end) => {
		const id = await start();
		await end(id);
		expect(executions.runOf(id).status).toBe('success');
		const title = expect.stringMatching(/^Not sent: Spring sale/) as string;
		expect(wrote()).toStrictEqual([['POST /tickets', expect.objectContaining({ title })]]);
	});

	it('creates a ticket with the reason if the question cannot be sent', async () => {
		service.reject(400, on('POST /messages'), { success: false, message: 'Session expired' });
		expect(executions.runOf(await start()).status).toBe('success');
		expect(wrote()).toStrictEqual([
			[
				'POST /tickets',
				expect.objectContaining({ description: expect.stringContaining('Session expired') }),
			],
		]);
	});

	it('asks nobody if it is not ready', async () => {
		const id = await start(({ nodes }) => {
			const preview = nodes.find(({ name }) => name === 'Preview');
			Object.assign(preview!.parameters.options as object, { maxRecipients: 0 });
		});
		expect(executions.runOf(id).status).toBe('success');
		expect(wrote()).toStrictEqual([
			['POST /tickets', expect.objectContaining({ description: expect.stringContaining('Max') })],
		]);
	});
});

describe('the example that sends a broadcast to a segment', () => {
	const PROCESSING = {
		success: true,
		data: { id: 'x', name: 'Spring sale', status: 'PROCESSING' },
	};

	test.each<[what: string, before: () => void, title: string, reason: string]>([
		[
			'is rejected',
			() => service.reject(400, on('POST /broadcasts'), { success: false, error: 'No credits' }),
			'The broadcast may not have been sent',
			'No credits',
		],
		[
			'does not end in time',
			() => service.respond(PROCESSING, on('GET /broadcasts/{id}', 999)),
			'Broadcast Spring sale: PROCESSING',
			'did not finish within 60 minutes',
		],
	])('a broadcast that %s leads to a ticket', async (_what, before, title, reason) => {
		before();
		await service.runExample('broadcast-to-segment');
		const description = expect.stringContaining(reason) as string;
		expect(service.bodies('POST /tickets')).toStrictEqual([
			{ title, priority: 'HIGH', description },
		]);
	});
});

describe('the example that reports broadcasts', () => {
	const counts = { sent: 9, total: 10, failed: 1, read: 4 };
	const COUNTED = ['9 of 10 sent', 'Read so far: 4. Failed: 1.'];
	const UNKNOWN = ['? of ? sent', 'Read so far: ?. Failed: ?.'];

	test.each<[status: string, record: IDataObject, texts: string[], priority: string]>([
		['PARTIAL', { statistics: counts }, COUNTED, 'HIGH'],
		['PARTIAL', counts, COUNTED, 'HIGH'],
		['FAILED', {}, UNKNOWN, 'HIGH'],
		['COMPLETED', { statistics: { sent: null } }, UNKNOWN, 'LOW'],
	])('%s with %j', async (status, record, [sent, description], priority) => {
		const items = [inputOf({ status, record: { name: 'Summer', ...record } })];
		await service.runExample('broadcast-report', { trigger: 'Broadcast Ended', items });
		expect(service.bodies('POST /tickets')).toStrictEqual([
			{ title: `Broadcast Summer: ${status}, ${sent}`, priority, description },
		]);
	});
});

describe('the example that sends a broadcast in waves', () => {
	/** The waves that were sent, and the tickets. @param happens while each wave is sent, once it has been accepted */
	const run = async (happens: () => void = () => undefined) => {
		const file = service.filledIn('broadcast-in-waves');
		Object.assign(file.nodes.find(({ name }) => name === 'Waves')!.parameters, { batchSize: 20 });
		const matches = ({ route }: { route?: string }) => {
			if (route === 'GET /broadcasts/{id}') happens();
			return false;
		};
		service.sandbox.faults.add({ kind: 'reset' }, { matches });
		await service.runExample(file);
		return {
			waves: service
				.bodies('POST /broadcasts')
				.map(({ name }) => (name as string | undefined)?.slice(-6)),
			recipients: service.bodies('POST /broadcasts').flatMap(({ recipients }) => recipients),
			tickets: service
				.bodies('POST /tickets')
				.map(({ title, description }) => `${title as string}: ${description as string}`),
		};
	};
	const membersOf = (name: string) => service.segmentNamed(name)!.members;
	const members = () =>
		[...membersOf('Newsletter')]
			.filter((id) => !membersOf('Returning customers').has(id))
			.map((id) => service.world.contacts.get(id)!.waId);
	beforeEach(() => {
		// Otherwise the first wave has nobody left.
		const returning = membersOf('Returning customers');
		for (const id of [...returning].slice(5)) returning.delete(id);
	});

	test('every member who is not excluded gets one message, in several waves, and there is no ticket', async () => {
		const { waves, recipients, tickets } = await run();
		expect(waves).toStrictEqual(['wave 1', 'wave 2', 'wave 3']);
		expect(recipients).toStrictEqual(members());
		expect(tickets).toStrictEqual([]);
	});

	/** What stops the waves: what happens before them, or while each is sent. */
	const nothing = () => undefined;
	test.each<[what: string, before: () => void, meanwhile: () => void, waves: number, RegExp]>([
		[
			'after a wave that did not succeed',
			() => {
				const id = [...membersOf('Newsletter')][25]!;
				service.world.contacts.get(id)!.waId = '298211234';
			},
			nothing,
			2,
			/^Spring sale stopped at wave 2: The broadcast ended as PARTIAL$/,
		],
		[
			'after a wave that has not ended in time',
			() => {
				const data = { id: 'x', status: 'PROCESSING' };
				service.respond({ success: true, data }, on('GET /broadcasts/{id}', 999));
			},
			nothing,
			1,
			/^Spring sale stopped at wave 1: The broadcast did not finish within 60 minutes/,
		],
		[
			'if the template is no longer approved',
			nothing,
			() => {
				service.world.templates.find(({ name }) => name === 'spring_sale')!.status = 'REJECTED';
			},
			1,
			/^Spring sale stopped at wave 2: The template is not approved: its status is REJECTED\. .*Template → Sync/,
		],
		[
			'after a wave that the service rejects',
			() => service.reject(400, on('POST /broadcasts'), { success: false, error: 'No credits' }),
			nothing,
			1,
			/^Spring sale stopped at wave 1: .*No credits/,
		],
	])('%s, there is no other, but a ticket', async (_what, before, meanwhile, count, ticket) => {
		before();
		const { waves, tickets } = await run(meanwhile);
		expect(waves).toHaveLength(count);
		expect(tickets).toStrictEqual([expect.stringMatching(ticket)]);
	});
});

describe('the example that sends at most one broadcast a week', () => {
	const messaged = () => service.segmentNamed('Messaged this week')!;

	test('everybody joins the segment, the next broadcast reaches nobody, and a week later everybody again', async () => {
		const file = service.filledIn('weekly-cap');
		const newsletter = service.segmentNamed('Newsletter')!.members;
		const send = async () => await service.attempt(file);
		const startWeek = async () =>
			await service.runExample(file, { trigger: 'Every Monday at Midnight' });
		expect((await send()).data.resultData.error).toBeUndefined();
		expect(messaged().members).toStrictEqual(newsletter);
		const [first] = service.bodies('POST /broadcasts');

		const { error } = (await send()).data.resultData;
		expect(error?.message).toBe('The broadcast has no recipients');
		expect(service.sent('POST /broadcasts')).toHaveLength(1);

		await startWeek();
		expect(messaged().members.size).toBe(0);
		// Nobody to remove.
		await startWeek();

		await send();
		expect(service.bodies('POST /broadcasts')[1]!.recipients).toStrictEqual(first!.recipients);
	});

	test('nobody joins another segment, in whatever order they are excluded', async () => {
		const file = service.filledIn('weekly-cap');
		const { members } = service.segmentNamed('Returning customers')!;
		const before = [...members];
		const { options: chosen } = file.nodes.find(({ name }) => name === 'Broadcast')!.parameters;
		(chosen as { excludeSegments: { segment: unknown[] } }).excludeSegments.segment.reverse();
		await service.runExample(file);
		expect([...members]).toStrictEqual(before);
		expect(messaged().members.size).toBeGreaterThan(before.length);
	});
});

describe('the example that compares two templates', () => {
	const executions = waitingExecutions(service);

	test('each member with a number gets one of the two', async () => {
		const { world } = service;
		const segment = service.segmentNamed('Newsletter')!;
		const members = [...segment.members].map((member) => world.contacts.get(member)!.waId);
		for (const waId of ['015112345678', null])
			segment.members.add(world.addContact({ name: 'Not on WhatsApp', waId }).id);
		const id = await executions.run(service.filledIn('ab-test'), {
			credential: service.credential,
		});
		expect(executions.runOf(id).status).toBe('waiting');
		const sent = service.bodies('POST /broadcasts');
		expect(sent.map(({ templateName }) => templateName)).toStrictEqual([
			'spring_sale',
			'spring_sale_short',
		]);
		const [one = [], other = []] = sent.map(({ recipients }) => recipients as string[]);
		expect(Math.abs(one.length - other.length)).toBeLessThanOrEqual(1);
		expect([...one, ...other].toSorted()).toStrictEqual(members.toSorted());
	});

	test('each broadcast has the rates that are known', async () => {
		const cases: [name: string, broadcast: IDataObject, rates: IDataObject][] = [
			[
				'all counts',
				{ statistics: { total: 131, sent: 130, delivered: 120, read: 60, replied: 6 } },
				{ deliveryRate: 0.923, readRate: 0.5, replyRate: 0.05 },
			],
			['counts as text', { statistics: { sent: '10', delivered: '10' } }, { deliveryRate: 1 }],
			['counts beside the name', { delivered: 3, read: 1 }, { readRate: 0.333 }],
			['nobody reached', { statistics: { sent: 0, delivered: 0, read: 0 } }, {}],
			['nothing known', { statistics: { sent: 10, delivered: null, read: null } }, {}],
			['no statistics', {}, {}],
		];
		const status = 'COMPLETED';
		const items = cases.map(([name, broadcast]) => inputOf({ name, status, ...broadcast }));
		const output = await service.runExample('ab-test', { trigger: 'Side by Side', items });
		const rows = output('Side by Side').map(({ json }) => json);
		expect(rows).toEqual(
			cases.map(([name, { statistics }, rates]) => ({
				...{ name, status, ...(statistics as IDataObject | undefined), ...rates },
			})),
		);
	});
});

describe('the example that reports paused templates', () => {
	/** The templates of the events, each with its number of tickets; the broadcasts are scheduled with these. */
	const run = async (...languages: string[]) => {
		const items = languages.map((language) => {
			const title = `offer (${language})`;
			const event = 'templateStatusChanged';
			return inputOf({
				event,
				status: 'PAUSED',
				title,
				name: 'offer',
				language,
				reason: 'Quality',
			});
		});
		await service.runExample('template-paused', {
			trigger: 'Template Paused',
			items,
		});
		return service.bodies('POST /tickets').map(({ title, priority, description }) => {
			const [, , ...lines] = (description as string).split('\n');
			return [(title as string).replace(/^Template /, ''), priority, lines] as const;
		});
	};
	const USED = 'is PAUSED. Scheduled broadcasts that use it:';

	const schedule = (name: string, templateName: string, templateLanguage: string, days = 1) =>
		service.world.broadcasts.add({
			...service.world.broadcasts.newestFirst().next().value!,
			...{ id: service.world.newId(), name, templateName, templateLanguage },
			...{ scheduleType: 'schedule', cancelled: false },
			startsAt: Date.UTC(2099, 0, days),
		});

	test('each template gets a ticket with its own scheduled broadcasts', async () => {
		schedule('One', 'offer', 'en_US');
		schedule('Two', 'offer', 'en_US', 2);
		schedule('German', 'offer', 'de');
		schedule('Other', 'offer_2', 'en_US');
		schedule('Cancelled', 'offer', 'en_US').cancelled = true;
		schedule('Sent', 'offer', 'en_US').startsAt = 0;
		expect(await run('en_US', 'de', 'fr')).toStrictEqual([
			[
				`offer (en_US) ${USED} 2`,
				'URGENT',
				['Two, 2099-01-02T00:00:00.000Z', 'One, 2099-01-01T00:00:00.000Z'],
			],
			[`offer (de) ${USED} 1`, 'URGENT', ['German, 2099-01-01T00:00:00.000Z']],
			[`offer (fr) ${USED} 0`, 'HIGH', ['none']],
		]);
	});

	test('no broadcast is scheduled at all: the team gets its ticket all the same', async () => {
		expect(await run('en_US')).toStrictEqual([[`offer (en_US) ${USED} 0`, 'HIGH', ['none']]]);
	});

	const unnamed = { success: true, data: [{ id: 'x', name: 'Unknown', status: 'SCHEDULED' }] };
	const withoutTemplate = {
		success: true,
		data: unnamed.data.map((each) => ({ ...each, templateName: null })),
	};

	test.each<[what: string, change: () => void, line: string]>([
		[
			'the list does not show templates',
			() => service.respond(unnamed, on('GET /broadcasts')),
			'Unknown, time not shown',
		],
		[
			'the list shows a template as null',
			() => service.respond(withoutTemplate, on('GET /broadcasts')),
			'Unknown, time not shown',
		],
		[
			'the list cannot be read',
			() => service.reject(403, on('GET /broadcasts')),
			expect.stringContaining('lacks the permission broadcasts.view') as string,
		],
	])('if %s, the ticket says so, and does not say that there are none', async (_, change, line) => {
		change();
		const lines = ['Not known, please check:', line];
		expect(await run('en_US')).toStrictEqual([
			[`offer (en_US) ${USED} see the note`, 'URGENT', lines],
		]);
	});
});

describe('the example that reports the week', () => {
	const report = async () => {
		const output = await service.runExample('weekly-report');
		const [file] = output('To File');
		const page = output('Page')[0]!.json.html as string;
		expect(Buffer.from(file!.binary!.data!.data, 'base64').toString()).toBe(page);
		expect(page).not.toMatch(/NaN|undefined|null|\{\{/);
		const rows = [...page.matchAll(/<tr><td>(.*?)<\/tr>/g)].map(([, row = '']) =>
			row.replace(/<div style="[^"]*"><\/div>/, '').split(/<\/td>(?:<td[^>]*>)?/),
		);
		return { page, rows };
	};
	const empty = () => {
		const { tickets, broadcasts } = service.world;
		for (const { id } of tickets.filter(() => true)) tickets.delete(id);
		for (const { id } of broadcasts.filter(() => true)) broadcasts.delete(id);
	};
	/** As n8n's $now, whose time is the real one. */
	const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString();

	test('a week with nothing in it is a report that says so', async () => {
		empty();
		const { rows } = await report();
		expect(rows.map(([text]) => text)).toStrictEqual(['No tickets', 'No broadcasts']);
	});

	test('1,000 tickets over pages are counted per agent and status, and names are text', async () => {
		empty();
		const { world } = service;
		const [agent] = world.users.filter(() => true);
		agent!.name = `<script>alert('1')</script>$&$'{{ 1 }} "Äda"`;
		for (let i = 0; i < 1_000; i++) {
			const status = (['OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED'] as const)[i % 4]!;
			const assigneeId = i < 600 ? agent!.id : i < 900 ? null : 'gone';
			const ticket = world.addTicket({ title: 'x', status, assigneeId, contactId: null });
			// The last 100, of an agent who is no longer listed, are old.
			ticket.createdAt = day(i < 900 ? 1 : 8);
		}
		const { page, rows } = await report();
		expect(page).not.toMatch(/<script|\$&/);
		expect(rows.slice(0, 3).map((row) => row.slice(1, 7))).toStrictEqual([
			['150', '150', '150', '150', '0', '600'],
			['75', '75', '75', '75', '0', '300'],
			['0', '0', '0', '0', '50', '50'],
		]);
		expect(rows.map(([name]) => name)).toStrictEqual([
			'&#60;script&#62;alert&#40;&#39;1&#39;&#41;&#60;&#47;script&#62;&#36;&#38;&#36;&#39;&#123;&#123; 1 &#125;&#125; &#34;Äda&#34;',
			'Nobody',
			'gone',
			'No broadcasts',
		]);
	});

	test('the rates of broadcasts are shown as far as they are known', async () => {
		const cases: [name: string, statistics: IDataObject | undefined, cells: string[]][] = [
			['all counts', { sent: 130, delivered: 120, read: 60 }, ['130', '92%', '50%']],
			['counts as text', { sent: '10', delivered: '5', read: '5' }, ['10', '50%', '100%']],
			['nothing sent', { sent: 0, delivered: 0, read: 0 }, ['0', '–', '–']],
			['unknown counts', { sent: 10, delivered: null, read: 'many' }, ['10', '–', '–']],
			['<b>none</b>', undefined, ['–', '–', '–']],
		];
		const broadcast = { status: 'COMPLETED', createdAt: day(1) };
		const data: IDataObject[] = cases.map(([name], n) => ({ ...broadcast, id: `b${n}`, name }));
		// Created earlier, and sent this week.
		Object.assign(data[0]!, { createdAt: day(8), sendAt: day(1) });
		for (const [n, [, statistics]] of cases.entries()) {
			const matches = ({ path }: { path: string }) => path === `/broadcasts/b${n}`;
			service.respond({ success: true, data: { ...data[n], statistics } }, { matches });
		}
		data.push({ ...broadcast, id: 'old', createdAt: day(8) });
		service.respond({ success: true, data, meta: { totalPages: 1 } }, on('GET /broadcasts'));
		const { rows } = await report();
		expect(rows.slice(-cases.length).map((row) => row.slice(0, 5))).toStrictEqual(
			cases.map(([name, , cells]) => [
				name.replace('<b>none</b>', '&#60;b&#62;none&#60;&#47;b&#62;'),
				...['COMPLETED', ...cells],
			]),
		);
		expect(service.sent('GET /broadcasts/{id}')).toHaveLength(cases.length);
	});
});
