import { routed, startPlain, type PlainService, type Reply } from './plainService.mts';

/**
 * A service that answers as little like the sandbox as the document allows, and in some places differently from the
 * document: lists under other names, epoch times, numeric IDs, other headers, an opaque cursor, no 404.
 */
const NOW = Math.floor(Date.now() / 1000);

const tickets = Array.from({ length: 60 }, (_, index) => ({
	id: 9000 - ((index * 37) % 60),
	number: `T-${500 - ((index * 37) % 60)}`,
	subject: `Subject ${index}`,
	state: { name: index % 3 === 0 ? 'OPEN' : 'PARKED' },
	opened_at: NOW - 100_000 - ((index * 7919) % 60) * 500,
	modified_at: NOW - index * 60,
}));

const chats = Array.from({ length: 12 }, (_, index) => ({
	id: `chat-${String.fromCharCode(97 + index)}${index}`,
	channel: index % 2 ? 'WHATSAPP' : 'VIBER',
	customer: { phone: `+1202555010${index % 10}` },
	opened_at: NOW - 50_000 - ((index * 5) % 12) * 1000,
	last_message_at: NOW - index * 300,
	message_count: 4 + index,
}));

const messagesOf = (index: number) =>
	Array.from({ length: 4 + index }, (_, place) => ({
		id: `m-${index}-${place}`,
		sender: place % 2 ? 'customer' : 'agent',
		// Oldest first; the last one is the newest.
		ts: (NOW - index * 300 - (3 + index - place) * 60) * 1000,
	}));

const contacts = Array.from({ length: 150 }, (_, index) => {
	const created = (NOW - 1_000_000 + index * 5_000) * 1000;
	return {
		id: `01HZ${created}ABCDEFGHJ`,
		name: `Contact ${index}`,
		waId: `+1202555${String(1000 + index).slice(-4)}`,
		created,
		attributes: { 'Shoe size': '42', 'Dog’s name': 'Rex' },
	};
});

const jobs = ['NEW', 'CRUNCHING', 'DIGESTED'].map((phase, index) => ({
	importId: 700 + index,
	state: phase,
}));

export async function startOther(): Promise<PlainService> {
	let left = 500;
	const page = (rows: unknown[], query: URLSearchParams, size: number): unknown[] => {
		const limit = Math.min(Number(query.get('limit') ?? size), 40);
		const first = (Number(query.get('page') ?? 1) - 1) * limit;
		return rows.slice(first, first + limit);
	};
	const missing: Reply = { status: 400, body: { fault: 'unknown', trace: 17 } };
	const one = (rows: { id: unknown }[], id: string | undefined): Reply => {
		const row = rows.find((candidate) => String(candidate.id) === id);
		return row ? { body: { success: true, data: row } } : missing;
	};
	const listener = routed(
		{
			organization: () => ({ body: { success: true, data: { id: 1 } } }),
			tickets: (query) => ({
				body: {
					success: true,
					data: { items: page(tickets, query, 25) },
					pagination: { total: 60, limit: Math.min(Number(query.get('limit') ?? 25), 40) },
				},
			}),
			'tickets/*': (_query, [id]) => one(tickets, id),
			chats: (query) => ({
				body: { success: true, data: { conversations: page(chats, query, 20) }, total: 12 },
			}),
			'chats/*': (_query, [id]) => one(chats, id),
			'chats/*/messages': (query, [id]) => {
				const index = chats.findIndex((chat) => chat.id === id);
				const cursor = query.get('cursor');
				if (index < 0 || (cursor !== null && !cursor.startsWith('c:'))) return missing;
				const all = messagesOf(index);
				const take = Number(query.get('take') ?? 10);
				return { body: { success: true, data: all.slice(0, take), next_cursor: 'c:abc' } };
			},
			contacts: (query) =>
				Number(query.get('limit') ?? 0) > 100
					? { status: 400, body: { fault: 'limit' } }
					: { body: { success: true, data: page(contacts, query, 30), meta: { total: 150 } } },
			'contacts/export': () => ({
				body: 'Maria Lopez,+12025550134,Berlin\nJohn Miller,+12025550135,Rome\n',
			}),
			'contacts/import-template': () => ({ body: 'Full Name,Mobile Number,City\n' }),
			'contacts/imports': () => ({ body: { success: true, data: { jobs } } }),
			'contacts/imports/*': (_query, [id]) => ({
				body: {
					success: true,
					data: { importJob: jobs.find(({ importId }) => String(importId) === id) },
				},
			}),
			'contacts/imports/*/errors': () => ({ body: 'line,reason\n2,bad\n' }),
			'contacts/*': (_query, [id]) => {
				const row = contacts.find((contact) => contact.id === id || contact.waId === id);
				return row ? { body: { success: true, data: { contact: row } } } : missing;
			},
			segments: () => ({
				body: { success: true, data: [{ id: 's', name: 'VIP', isDynamic: false }] },
			}),
			'segments/*': () => ({
				body: { success: true, data: { id: 's', people: [{ id: 'x' }, { id: 'y' }] } },
			}),
			templates: (query) => ({
				body: {
					success: true,
					data: [
						{ key: 'a', name: 'hello' },
						{ key: 'b', name: 'bye' },
						{ key: 'c', name: 'ok' },
					].slice(0, Number(query.get('limit') ?? 3)),
				},
			}),
			broadcasts: () => ({ body: { success: true, data: [], meta: { total: 0, limit: 20 } } }),
			flows: () => ({ body: { success: true, data: { live: [], retired: [] } } }),
			channels: () => ({ body: { success: true, data: [{ id: 'ch', kind: 'WHATSAPP' }] } }),
			users: () => ({ status: 403, body: { fault: 'not allowed' } }),
		},
		() => ({ 'x-quota-remaining': String((left -= 1)), etag: '"1"' }),
	);
	return await startPlain(listener);
}
