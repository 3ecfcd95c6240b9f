import { checkBaseUrl } from '../../nodes/ConversationalMessaging/api/access/credential.ts';

describe('the base URL of a credential', () => {
	test.each([
		['https://api.example.com/api/v2', 'https://api.example.com/api/v2'],
		['  https://api.example.com/api/v2///  ', 'https://api.example.com/api/v2'],
		['https://api.example.com:8443/tenant/api/v2', 'https://api.example.com:8443/tenant/api/v2'],
		['http://localhost:4010/api/v2', 'http://localhost:4010/api/v2'],
		['http://[::1]:4010/api/v2', 'http://[::1]:4010/api/v2'],
		['http://messaging/api/v2', 'http://messaging/api/v2'],
	])('%j is accepted as a base URL', (input, url) => {
		expect(checkBaseUrl(input)).toStrictEqual({ value: url });
	});

	test.each([
		['   ', /Enter the base URL/],
		[undefined, /Enter the base URL/],
		['api.example.com/api/v2', /not a web address/],
		['ftp://api.example.com/api/v2', /not a web address/],
		['https://api.example.com', /Try https:\/\/api\.example\.com\/api\/v2/],
		['https://api.example.com/api/v1/', /Change it to \/api\/v2/],
		['https://api.example.com/api/v2/contacts', /must end in \/api\/v2/],
		['https://api.example.com/api/v1/contacts', /must end in \/api\/v2/],
		['https://api.example.com/api/v2?key=1', /a query or a fragment/],
		['https://user@api.example.com/api/v2', /user name or password/],
		['https://:secret@api.example.com/api/v2', /user name or password/],
		['http://api.example.com/api/v2', /Use https:\/\/api\.example\.com\/api\/v2/],
		['http://8.8.8.8/api/v2', /unencrypted/],
		['https://*.example.com/api/v2', /the host "\*\.example\.com".* Enter that of your service/],
		[
			'https://api.example.com,b.example.com/api/v2',
			/the host "api\.example\.com,b\.example\.com"/,
		],
		['http://%2A/api/v2', /the host "\*"/],
		['https://\uff0a.example.com/api/v2', /the host "\*\.example\.com"/],
	])('%j is rejected as a base URL, with the next step', (input, hint) => {
		expect(String(checkBaseUrl(input).hint)).toMatch(hint);
		expect(String(checkBaseUrl(input).hint)).not.toContain('secret');
	});
});
