import { isPublicUrl } from '../../nodes/ConversationalMessaging/api/access/publicUrl.ts';

test.each([
	'https://n8n.example.com/webhook-waiting/1',
	'http://n8n.example.com:5678',
	'https://203.0.113.7/',
	// They contain the numbers of private networks, but do not begin with them.
	'https://203.169.254.7/',
	'https://203.10.0.7/',
	'https://172.15.0.1/',
	'https://172.32.0.1/',
	'https://192.169.1.1/',
	'https://169.253.1.1/',
	'https://100.63.255.255/',
	'https://100.128.0.1/',
	'https://[2001:db8::1]/',
	'https://[2001:db8::fd00:1]/',
	'https://[2001:db8::ffff:c0a8:1]/',
	'https://localhost.example.com/',
	'https://10.0.0.1.example.com/',
	'https://evil-internal.com/',
])('%s can be opened from outside', (url) => {
	expect(isPublicUrl(url)).toBe(true);
});

test.each([
	'http://LOCALHOST:5678/',
	'http://localhost./',
	'http://n8n.localhost/',
	'http://n8n:5678/',
	'http://n8n.local/',
	'http://n8n.internal./',
	'http://n8n.home.arpa/',
	'http://n8n1:5678/',
	'http://127.0.0.1:5678/',
	'http://0x7f.1/',
	'http://2130706433/',
	'http://0.0.0.0/',
	'http://10.0.0.1/',
	'http://172.16.0.1/',
	'http://172.31.255.255/',
	'http://192.168.1.2/',
	'http://169.254.169.254/',
	'http://100.64.0.1/',
	'http://100.101.0.1/',
	'http://100.127.255.255/',
	'http://[::1]/',
	'http://[::]/',
	'http://[fd00::1]/',
	'http://[fe80::1]/',
	'n8n.example.com',
	'',
])('%s cannot be opened from outside', (url) => {
	expect(isPublicUrl(url)).toBe(false);
});
