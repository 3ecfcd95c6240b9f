import { checkBaseUrl } from '../../nodes/ConversationalMessaging/api/baseUrl.ts';
import { isPrivateHost } from '../../nodes/ConversationalMessaging/api/publicUrl.ts';

describe('the base URL of a credential', () => {
	test.each([
		['https://api.example.com/api/v2', 'https://api.example.com/api/v2'],
		['  https://api.example.com/api/v2/  ', 'https://api.example.com/api/v2'],
		['https://api.example.com/api/v2///', 'https://api.example.com/api/v2'],
		['https://api.example.com:8443/tenant/api/v2', 'https://api.example.com:8443/tenant/api/v2'],
		['http://localhost:4010/api/v2', 'http://localhost:4010/api/v2'],
		['http://127.0.0.1:4010/api/v2', 'http://127.0.0.1:4010/api/v2'],
		['http://[::1]:4010/api/v2', 'http://[::1]:4010/api/v2'],
		['http://messaging/api/v2', 'http://messaging/api/v2'],
	])('%j is accepted as a base URL', (input, url) => {
		expect(checkBaseUrl(input)).toEqual({ url });
	});
});

describe('a rejected base URL', () => {
	test.each([
		['', /Enter the base URL/],
		['   ', /Enter the base URL/],
		[undefined, /Enter the base URL/],
		['api.example.com/api/v2', /not a web address/],
		['ftp://api.example.com/api/v2', /not a web address/],
		['https://api.example.com', /Try https:\/\/api\.example\.com\/api\/v2/],
		['https://api.example.com/', /Try https:\/\/api\.example\.com\/api\/v2/],
		['https://api.example.com/api/v1', /Change it to \/api\/v2/],
		['https://api.example.com/api/v1/', /Change it to \/api\/v2/],
		['https://api.example.com/api/v2/contacts', /must end in \/api\/v2/],
		['https://api.example.com/api/v2?key=1', /a query or a fragment/],
		['https://api.example.com/api/v1/contacts', /must end in \/api\/v2/],
		['https://user:secret@api.example.com/api/v2', /user name or password/],
		['https://user@api.example.com/api/v2', /user name or password/],
		['https://:secret@api.example.com/api/v2', /user name or password/],
		['http://api.example.com/api/v2', /Use https:\/\/api\.example\.com\/api\/v2/],
		['http://8.8.8.8/api/v2', /unencrypted/],
		['http://10.evil.example.com/api/v2', /unencrypted/],
	])('%j is rejected as a base URL, with the next step', (input, hint) => {
		expect(checkBaseUrl(input).hint).toMatch(hint);
	});

	test('the hint for a base URL that contains a password does not repeat the password', () => {
		expect(checkBaseUrl('https://user:secret@api.example.com/api/v2').hint).not.toContain('secret');
	});
});

describe('hosts that may be reached over plain http', () => {
	const hostOf = (url: string) => new URL(url).hostname;
	test.each([
		['http://10.1.2.3', true],
		['http://172.16.0.1', true],
		['http://172.31.255.255', true],
		['http://172.15.255.255', false],
		['http://172.32.0.1', false],
		['http://8.20.0.1', false],
		['http://192.168.1.1', true],
		['http://192.169.1.1', false],
		['http://8.168.1.1', false],
		['http://169.254.1.1', true],
		['http://169.253.1.1', false],
		['http://8.254.1.1', false],
		['http://a.10.0.0.1.example.com', false],
		['http://10.0.0.1.example.com', false],
		['http://[2001:db8::fd00:1]', false],
		['http://[2001:db8::fe80:1]', false],
		['http://[2001:db8::ffff:c0a8:1]', false],
		['http://[::ffff:c0a8:1:1]', false],
		['http://[::ffff:10.0.0.1]', true],
		['http://[::ffff:10.0.18.52]', true],
		['http://messaging.local.example.com', false],
		['http://0x7f.1', true],
		['http://2130706433', true],
		['http://[::1]', true],
		['http://[fd00::1]', true],
		['http://[fe80::1]', true],
		['http://[2001:db8::1]', false],
		['http://[::ffff:192.168.0.1]', true],
		['http://[::ffff:8.8.8.8]', false],
		['http://messaging', true],
		['http://messaging.local', true],
		['http://messaging.internal.', true],
		['http://app.localhost', true],
		['http://local.example.com', false],
		['http://notlocal', true],
		['http://evil-internal.com', false],
	])('%s is on a private network: %s', (url, expected) => {
		expect(isPrivateHost(hostOf(url))).toBe(expected);
	});
});
