import { NodeApiError } from 'n8n-workflow';
import type { ServiceClient } from '../../nodes/ConversationalMessaging/api/client.ts';
import { send, type ServiceRequest } from '../../nodes/ConversationalMessaging/api/send.ts';
import { FakeTime } from '../time.mts';
import { serviceOf } from './service.mts';

let time: FakeTime;
beforeEach(() => (time = new FakeTime().install()));
afterEach(() => time.restore());

const UPLOAD = {
	partName: 'file',
	fileName: 'contacts.csv',
	mimeType: 'text/csv',
	fields: {},
	content: { bytes: Buffer.from('name') },
};

const REQUESTS = {
	read: { endpoint: 'GET /tickets', action: 'Get many tickets' },
	creation: { endpoint: 'POST /tickets', action: 'Create ticket', body: {} },
	update: { endpoint: 'PUT /tickets/{id}', path: { id: '1' }, action: 'Update ticket', body: {} },
	change: { endpoint: 'PATCH /contacts/{id}', path: { id: '1' }, action: 'Update contact' },
	deletion: { endpoint: 'DELETE /segments/{id}', path: { id: '1' }, action: 'Delete segment' },
	upload: { endpoint: 'POST /contacts/import', action: 'Start import', upload: UPLOAD },
	download: { endpoint: 'GET /contacts/export', action: 'Export contacts', download: true },
} satisfies Record<string, ServiceRequest>;

/** The timeouts that n8n's HTTP client is given for a request and its retries, in milliseconds. */
async function timeoutsOf(request: ServiceRequest, more: Partial<ServiceClient> = {}) {
	const given: unknown[] = [];
	const { client } = serviceOf(() => undefined, more);
	client.context = {
		...client.context,
		helpers: {
			httpRequestWithAuthentication: async (_credential: string, options: { timeout: number }) => {
				given.push(options.timeout);
				time.clock.advance(options.timeout);
				throw Object.assign(new Error('timeout exceeded'), { code: 'ECONNABORTED' });
			},
		},
	} as unknown as ServiceClient['context'];
	await expect(send(client, request)).rejects.toBeInstanceOf(NodeApiError);
	return given;
}

test.each<[kind: keyof typeof REQUESTS, timeouts: number[]]>([
	['read', [30_000, 30_000, 30_000]],
	['creation', [60_000]],
	['update', [60_000]],
	['change', [60_000]],
	['deletion', [60_000]],
	['upload', [600_000]],
	['download', [600_000, 600_000, 600_000]],
])(
	'a request of the kind %j and its retries have the timeouts %j, in milliseconds',
	async (kind, timeouts) => {
		expect(await timeoutsOf(REQUESTS[kind])).toEqual(timeouts);
	},
);

test.each<[kind: keyof typeof REQUESTS, leftMs: number, timeouts: number[]]>([
	['read', 10_000, [10_000]],
	['read', 45_000, [30_000, 15_000]],
	['creation', 10_000, [10_000]],
	['creation', 61_000, [60_000]],
	['download', 10_000, [10_000]],
])(
	'a request of the kind %j does not outlast a deadline in %d ms: its timeouts are %j',
	async (kind, leftMs, timeouts) => {
		const deadline = time.clock.now() + leftMs;
		expect(await timeoutsOf(REQUESTS[kind], { deadline })).toEqual(timeouts);
	},
);
