import fc from 'fast-check';
import { methodOf, urlOf } from '../../nodes/ConversationalMessaging/api/endpoint.ts';

const BASE = 'https://api.example.com/api/v2';

test('the address of a request', () => {
	const query = {
		status: 'OPEN',
		page: 2,
		needsEscalation: false,
		search: 'a b&c',
		none: undefined,
		empty: '',
	};
	expect(urlOf(BASE, 'GET /tickets/{id}', { path: { id: '1042' }, query })).toBe(
		`${BASE}/tickets/1042?status=OPEN&page=2&needsEscalation=false&search=a+b%26c`,
	);
	expect(methodOf('PATCH /contacts/{id}')).toBe('PATCH');
});

test.each(['', '   ', '.', '..'])(
	'an id of %j makes no address: it would be another route',
	(id) => {
		expect(urlOf(BASE, 'GET /tickets/{id}', { path: { id } })).toBeUndefined();
	},
);

test('an id stays one segment of its path, whatever is in it', () => {
	const id = fc
		.string({ unit: 'grapheme', minLength: 1 })
		.filter((text) => !['', '.', '..'].includes(text.trim()));
	fc.assert(
		fc.property(id, (value) => {
			const url = new URL(urlOf(BASE, 'POST /contacts/{id}/fields', { path: { id: value } })!);
			expect(url.origin).toBe('https://api.example.com');
			const [, api, version, contacts, segment, fields, ...rest] = url.pathname.split('/');
			expect([api, version, contacts, fields, rest]).toEqual([
				'api',
				'v2',
				'contacts',
				'fields',
				[],
			]);
			expect(decodeURIComponent(segment!)).toBe(value.trim());
			expect(url.search + url.hash).toBe('');
		}),
	);
});

test('half a surrogate pair in an id becomes the replacement character, as in a query', () => {
	const half = '\ud83d';
	expect(urlOf(BASE, 'GET /tickets/{id}', { path: { id: `1${half}` }, query: { q: half } })).toBe(
		`${BASE}/tickets/1%EF%BF%BD?q=%EF%BF%BD`,
	);
});
