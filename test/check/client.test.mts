import { readdirSync, readFileSync } from 'node:fs';
import { CheckClient } from '../../tools/check/client.mts';
import { TOKEN } from '../support/plainService.mts';

const BASE_URL = 'http://127.0.0.1:9/api/v2';

test.each([
	'http://127.0.0.1:8/api/v2/tickets',
	'https://127.0.0.1:9/api/v2/tickets',
	'http://attacker.example.com/api/v2/tickets',
	'http://127.0.0.1:9/api/v3/tickets',
	'http://127.0.0.1:9@attacker.example.com/api/v2/tickets',
])('nothing is sent to another address (%s)', async (url) => {
	const client = new CheckClient({ baseUrl: BASE_URL, token: TOKEN });
	await expect(client.send(url)).rejects.toThrow('base URL only');
	expect(client.sent).toBe(0);
});

test('one place of the check can send something, and sends GET', () => {
	const sends = /from 'node:(http|https|http2|net|tls|dgram)'|from 'axios'|\bfetch\(|from 'undici'/;
	const sending = readdirSync('tools/check', { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.mts'))
		.filter((name) => sends.test(readFileSync(`tools/check/${name}`, 'utf8')));
	expect(sending).toStrictEqual(['client.mts']);
	const text = readFileSync('tools/check/client.mts', 'utf8');
	expect(text.match(/\bfetch\(url, \{\s+method: 'GET',/g)).toHaveLength(1);
	expect(text.match(/\bfetch\(/g)).toHaveLength(1);
});
