import fc from 'fast-check';
import { buffer } from 'node:stream/consumers';
import {
	multipart,
	type MultipartBody,
	type Upload,
} from '../../nodes/ConversationalMessaging/api/files/multipart.ts';
import type { N8nFunctions } from '../../nodes/ConversationalMessaging/api/client.ts';

/** A file in memory uses nothing of it. */
const n8n = {} as N8nFunctions;

const upload = {
	partName: 'file',
	fileName: 'contacts.csv',
	mimeType: 'text/csv',
	content: { bytes: Buffer.from('name\r\nAnn') },
};

/** The lines of a body, with X for the boundary. */
async function linesIn({ body, headers }: MultipartBody): Promise<string[]> {
	const sent = Buffer.isBuffer(body) ? body : await buffer(body);
	expect(headers['Content-Length']).toBe(sent.length);
	const boundary = /boundary=(.+)$/.exec(headers['Content-Type'])![1]!;
	return sent.toString('utf8').split(boundary).join('X').split('\r\n');
}

const linesOf = async (more: Partial<Upload>) =>
	await linesIn(await multipart({ ...upload, ...more })({ n8n }));

test('a multipart body holds the fields, then the file, and nothing else', async () => {
	expect(
		await linesOf({ fields: () => ({ name: 'Spring\r\nsale', audienceMode: 'csv' }) }),
	).toStrictEqual([
		'--X',
		'Content-Disposition: form-data; name="name"',
		'',
		'Spring',
		'sale',
		'--X',
		'Content-Disposition: form-data; name="audienceMode"',
		'',
		'csv',
		'--X',
		'Content-Disposition: form-data; name="file"; filename="contacts.csv"',
		'Content-Type: text/csv',
		'',
		'name',
		'Ann',
		'--X--',
		'',
	]);
});

test.each([
	['contacts.csv', 'contacts.csv'],
	['Größe 名前 🙂.csv', 'Größe 名前 🙂.csv'],
	['a"b.csv', 'a%22b.csv'],
	['a\r\nX-Evil: 1\r\n\r\nb.csv', 'a%0D%0AX-Evil: 1%0D%0A%0D%0Ab.csv'],
	['a\u0000b\u001Bc\u007Fd\u0085e', 'a%00b%1Bc%7Fd%C2%85e'],
	['ends in a backslash\\', 'ends in a backslash%5C'],
	['half a surrogate \uD83D', 'half a surrogate \uFFFD'],
])('the part and file name %j is sent as %j', async (given, sent) => {
	const lines = await linesOf({ partName: given, fileName: given });
	expect(lines[1]).toBe(`Content-Disposition: form-data; name="${sent}"; filename="${sent}"`);
	expect((await linesOf({ fields: () => ({ [given]: '1' }) }))[1]).toBe(
		`Content-Disposition: form-data; name="${sent}"`,
	);
});

test.each([
	['text/csv', 'text/csv'],
	['text/csv; charset=windows-1252', 'text/csv; charset=windows-1252'],
	['text/csv;charset="utf-8"; header=present', 'text/csv;charset="utf-8"; header=present'],
	['text/csv\r\nX-Evil: 1', 'application/octet-stream'],
	['text/csv; charset="a\r\nX-Evil: 1"', 'application/octet-stream'],
	['text/größe', 'application/octet-stream'],
	['', 'application/octet-stream'],
])('the MIME type %j is sent as %j', async (given, sent) => {
	expect((await linesOf({ mimeType: given }))[2]).toBe(`Content-Type: ${sent}`);
});

test('no name and no MIME type can add a line to the headers of a part', () => {
	const text = fc.string({ unit: fc.oneof(fc.constantFrom('\r', '\n', '"', '\\'), fc.string()) });
	return fc.assert(
		fc.asyncProperty(text, text, text, async (partName, fileName, mimeType) => {
			const lines = await linesOf({ partName, fileName, mimeType });
			expect(lines).toHaveLength(8);
			expect(lines[1]).toMatch(/^Content-Disposition: form-data; name="[^"]*"; filename="[^"]*"$/);
			expect(lines.slice(1, 3).join('')).not.toMatch(/\p{Cc}/u);
		}),
	);
});
