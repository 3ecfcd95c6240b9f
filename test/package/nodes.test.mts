/** What n8n reads of the nodes and the credential before anything runs. */
import {
	type INode,
	type IWorkflowExecuteAdditionalData,
	getCredentialAllowedDomains,
	injectDomainRestrictionFields,
	isDomainAllowed,
} from 'n8n-workflow';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConversationalMessagingApi } from '../../credentials/ConversationalMessagingApi.credentials.ts';
import { Credentials } from '../../tools/engine/credentials.mts';
import { ConversationalMessaging } from '../../nodes/ConversationalMessaging/ConversationalMessaging.node.ts';
import { ConversationalMessagingTrigger } from '../../nodes/ConversationalMessaging/ConversationalMessagingTrigger.node.ts';
import { filesIn } from './filesIn.mts';
import { textsIn } from './textsIn.mts';

const action = new ConversationalMessaging();
const trigger = new ConversationalMessagingTrigger();
const credential = new ConversationalMessagingApi();

test.each([
	['dist/nodes/ConversationalMessaging', action.description.icon],
	['dist/nodes/ConversationalMessaging', trigger.description.icon],
	['dist/credentials', credential.icon],
])('the icons in %s exist, one for each theme', (folder, icon) => {
	const files = Object.values(icon as { light: string; dark: string });
	expect(new Set(files).size).toBe(2);
	for (const file of files) expect(existsSync(join(folder, file.replace('file:', '')))).toBe(true);
});

test.each([
	['the action node', action],
	['the trigger', trigger],
])(
	'%s tests its credential, shows existing parameters, and has the methods of its fields',
	(_name, node) => {
		const { credentials, subtitle, properties } = node.description;
		expect(credentials).toStrictEqual([
			{ name: credential.name, required: true, testedBy: 'testConnection' },
		]);
		expect(node.methods.credentialTest).toHaveProperty('testConnection');
		const searched = JSON.stringify(properties).matchAll(/"searchListMethod":"(\w+)"/g);
		const methods = [...searched].map(([, method]) => method!);
		expect(methods.length).toBeGreaterThan(3);
		expect(Object.keys(node.methods.listSearch)).toStrictEqual(expect.arrayContaining(methods));
		const shown = [...subtitle!.matchAll(/\$parameter\["(\w+)"\]/g)].map(([, name]) => name);
		expect(shown.length).toBeGreaterThan(0);
		expect(properties.map(({ name }) => name)).toStrictEqual(expect.arrayContaining(shown));
	},
);

test('AI agents can use the action node', () => {
	expect(action.description.usableAsTool).toBe(true);
});

describe('hints for software that builds workflows', () => {
	test.each([
		['the action node', action, trigger],
		['the trigger', trigger, action],
	])('%s says when to use it, and names the other', (_name, node, other) => {
		const { searchHint, relatedNodes = [] } = node.description.builderHint!;
		expect(searchHint).toMatch(/^Use it instead of /);
		expect(relatedNodes.map(({ nodeType }) => nodeType)).toContain(
			`n8n-nodes-conversational-messaging.${other.description.name}`,
		);
	});

	test('operations and fields have them, without expressions', () => {
		const hints = [action, trigger].flatMap(({ description }) =>
			textsIn(description.properties, ['propertyHint']),
		);
		expect(hints).toStrictEqual(
			expect.arrayContaining([
				expect.stringMatching(/^One item sends one message\./),
				expect.stringMatching(/Never invent an ID\.$/),
			]),
		);
		expect(hints.filter((hint) => /[{}]|\$json/.test(hint))).toStrictEqual([]);
	});
});

test('the credential needs URL and token, and leaves a tenth of each window by itself, half of it at most', () => {
	const [url, token, reserve] = credential.properties;
	expect([url!.name, url!.required, url!.default]).toStrictEqual(['baseUrl', true, '']);
	expect([token!.name, token!.required, token!.default]).toStrictEqual(['apiToken', true, '']);
	expect(reserve).toMatchObject({
		name: 'windowReserve',
		default: 10,
		typeOptions: { minValue: 0, maxValue: 50 },
	});
});

describe("n8n's HTTP Request node may send the token to the host of the base URL, and nowhere else", () => {
	/** Whether n8n allows it, by the functions that its HTTP Request node uses; throws if it allows nothing. */
	async function mayRequest(url: string, baseUrl: string) {
		const properties = injectDomainRestrictionFields(credential);
		const types = new Map([
			[credential.name, Object.assign(new ConversationalMessagingApi(), { properties })],
		]);
		const credentials = new Credentials(types, {
			[credential.name]: { baseUrl, apiToken: 'wa_pk_invented' },
		});
		const additionalData = { variables: {} } as IWorkflowExecuteAdditionalData;
		const credentialData = await credentials.getDecrypted(
			additionalData,
			{},
			credential.name,
			'manual',
		);
		const node = { name: 'HTTP Request' } as INode;
		const allowedDomains = getCredentialAllowedDomains({ node, credentialData });
		return allowedDomains !== undefined && isDomainAllowed({ url, allowedDomains });
	}

	test.each([
		['https://service.example.com/api/v2', 'https://service.example.com/api/v2/chats'],
		[' HTTPS://Service.example.com:8443/api/v2/ ', 'https://service.example.com:8443/api/v2'],
		['http://localhost:3000', 'http://localhost:3000/chats'],
		['http://10.0.0.5:3000/api/v2?x#y', 'http://10.0.0.5:3000/api/v2'],
		['http://[::1]:3000/api/v2', 'http://[::1]:3000/api/v2'],
		['={{ "https://service" + ".example.com" }}', 'https://service.example.com/api/v2'],
	])('with the base URL %s, %s', async (baseUrl, url) => {
		expect(await mayRequest(url, baseUrl)).toBe(true);
		for (const other of ['example.com', 'x.service.example.com', 'localhost.example.com', '[::2]'])
			expect(await mayRequest(`https://${other}/`, baseUrl)).toBe(false);
	});

	test.each([
		['', 'https://service.example.com'],
		[' ', 'https://service.example.com'],
		['https://service.example.com@other.example.com', 'https://service.example.com'],
		['https://*.example.com/api/v2', 'https://service.example.com'],
		['https://service.example.com,other.example.com/api/v2', 'https://service.example.com'],
		['https://service.example.com,*.example.com:443', 'https://x.example.com'],
		['https://,other.example.com@service.example.com/api/v2', 'https://other.example.com'],
	])('with the base URL "%s", nowhere', async (baseUrl, url) => {
		expect(await mayRequest(url, baseUrl).catch(() => false)).toBe(false);
	});
});

test('the documentation of the credential is a section of the README', () => {
	const [, section] = credential.documentationUrl.split('#');
	const headings = readFileSync('README.md', 'utf8').matchAll(/^#+ (.+)$/gm);
	const anchors = [...headings].map(([, text]) => text!.toLowerCase().replaceAll(' ', '-'));
	expect(anchors).toContain(section);
});

test('no comment in shipped code turns off a rule', () => {
	const files = ['nodes', 'credentials'].flatMap(filesIn).filter((file) => file.endsWith('.ts'));
	expect(files.length).toBeGreaterThan(200);
	const disable = /(?:es|ox)lint-disable|@ts-/;
	expect(files.filter((file) => disable.test(readFileSync(file, 'utf8')))).toStrictEqual([]);
});
