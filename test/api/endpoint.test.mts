import fc from 'fast-check';
import { methodOf } from '../../nodes/ConversationalMessaging/api/endpoint.ts';
import { urlOf } from '../../nodes/ConversationalMessaging/api/request.ts';

const BASE = 'https://api.example.com/api/v2';

test('the URL of a request has the ID in its path and the parameters that have a value in its query', () => {
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

test.each(['', '   ', '.', '..', 'export', ' Export ', 'imports', 'import-template'])(
	'the contact ID %j yields no URL, because that would be another endpoint',
	(id) => {
		expect(urlOf(BASE, 'GET /contacts/{id}', { path: { id } })).toBeUndefined();
	},
);

test('an ID stays one segment of the path, whatever it contains', () => {
	const id = fc
		.string({ unit: 'grapheme', minLength: 1 })
		.filter((text) => !['', '.', '..'].includes(text.trim()));
	fc.assert(
		fc.property(id, (value) => {
			const url = new URL(urlOf(BASE, 'POST /contacts/{id}/fields', { path: { id: value } })!);
			expect(url.origin).toBe('https://api.example.com');
			const [before, segment, after] = url.pathname.split(/(?<=contacts)\/|\/(?=fields$)/);
			expect([before, after]).toStrictEqual(['/api/v2/contacts', 'fields']);
			expect(decodeURIComponent(segment!)).toBe(value.trim());
			expect(url.search + url.hash).toBe('');
		}),
	);
});

test('half a surrogate pair in an ID becomes the replacement character, as in a query', () => {
	const half = '\ud83d';
	expect(urlOf(BASE, 'GET /tickets/{id}', { path: { id: `1${half}` }, query: { q: half } })).toBe(
		`${BASE}/tickets/1%EF%BF%BD?q=%EF%BF%BD`,
	);
});

test('a word that another endpoint has is an ID where it makes no endpoint', () => {
	expect(urlOf(BASE, 'GET /tickets/{id}', { path: { id: 'export' } })).toBe(
		`${BASE}/tickets/export`,
	);
	expect(urlOf(BASE, 'GET /contacts/export', {})).toBe(`${BASE}/contacts/export`);
});

test.each<Record<string, string>>([
	{ id: 'c1' },
	{ fieldId: 'f1' },
	{ id: 'c1', fieldId: '.' },
	{},
])('the path values %j yield no URL for a path with two IDs', (path) => {
	expect(urlOf(BASE, 'PATCH /contacts/{id}/fields/{fieldId}', { path })).toBeUndefined();
});
