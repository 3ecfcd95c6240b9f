import { readFileSync } from 'node:fs';
import { faker } from '@faker-js/faker/locale/en';
import { keysOf } from '../../tools/check/shown.mts';
import { check } from './harness.mts';
import { LIST_ROUTES, routed, startPlain, TOKEN, type Route } from '../support/plainService.mts';

/** Every personal value that the service below returns, as it is in a response. */
const secrets = new Set<string>();
function secret(text: string): string {
	secrets.add(text);
	return text;
}

faker.seed(7);
const person = () => ({
	first: secret(faker.person.firstName()),
	last: secret(faker.person.lastName()),
	phone: secret(`1202555${faker.string.numeric(4)}`),
	email: secret(faker.internet.email()),
});

/** Records with personal data in values of every type, and in keys. */
function record(index: number): Record<string, unknown> {
	const { first, last, phone, email } = person();
	return {
		id: secret(`c${faker.string.alphanumeric({ length: 24, casing: 'lower' })}`),
		name: `${first} ${last}`,
		waId: phone,
		status: index % 4 === 0 ? secret(last.toUpperCase()) : 'OPEN',
		state: secret(faker.location.city().toUpperCase().replace(/\W/g, '')),
		channel: { name: first.toUpperCase() },
		email,
		customName: last.toLowerCase(),
		ticketNumber: secret(faker.string.numeric(9)),
		title: secret(faker.lorem.sentence()),
		createdAt: secret(faker.date.past().toISOString()),
		number: Number(phone),
		// Maps by phone number, by address, by name in three spellings, by ID, and by the label of a custom field.
		byPhone: { [`+${phone}`]: true, [phone]: 1 },
		readers: { [email]: faker.date.past().toISOString() },
		notes: { [first.toLowerCase()]: 'x', [last]: 'y', [first.toUpperCase()]: 1 },
		likes: { [first.toLowerCase()]: 2, [last.toLowerCase()]: 1 },
		customFields: {
			[secret(`${first} asked about`)]: email,
			[secret(`vip${last.toLowerCase()}`)]: 'yes',
		},
		[secret(`owner ${last}`)]: true,
		[phone]: null,
		contact: { id: phone, [last.toLowerCase()]: 1 },
		sender: index % 2 ? first.toUpperCase() : 'AGENT',
		direction: last.toUpperCase(),
		rules: { [secret(faker.location.street())]: email },
		components: [
			{ type: first.toUpperCase(), text: secret(faker.lorem.sentence()), [last.toLowerCase()]: 1 },
		],
	};
}

test('no personal data of a service is anywhere in a report', async () => {
	const owner = person();
	const list = (): Route => {
		const rows = Array.from({ length: 20 }, (_, index) => record(index));
		const data = { items: rows, [owner.last.toLowerCase()]: rows, [owner.phone]: 3 };
		const meta = { total: 40, [owner.phone]: 2 };
		return () => ({ body: { success: true, data, [owner.email]: 1, meta } });
	};
	const routes = [...LIST_ROUTES, 'chats/*/messages'].map((route) => [route, list()]);
	const service = await startPlain(
		routed({
			...(Object.fromEntries(routes) as Record<string, Route>),
			organization: () => ({ body: { success: true, data: { name: `${owner.first} Ltd` } } }),
			flows: () => ({
				status: 404,
				body: { error: `${owner.first} ${owner.last} not found`, [owner.phone]: owner.email },
			}),
		}),
	);
	const report = await check(service.baseUrl);
	await service.close();

	expect(report).toContain(' of 8 questions.');
	expect(report).toContain('keys: id, ');
	expect(secrets.size).toBeGreaterThan(2_000);
	const text = report.toLowerCase();
	// Words of this program, such as "may" and "long", are names of people too.
	const own = ownWords();
	const leaked = [...secrets, TOKEN, TOKEN.slice(0, 14), 'ltd', '12025'].filter((value) => {
		const lower = value.toLowerCase();
		return !own.has(lower) && new RegExp(`(?<![a-z])${escaped(lower)}(?![a-z])`).test(text);
	});
	expect(leaked).toStrictEqual([]);
});

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** The words that a report contains about a service without any personal data. */
function ownWords(): Set<string> {
	const sources = ['questions', 'check', 'report', 'service'].map(
		(name) => `tools/check/${name}.mts`,
	);
	const words = sources.flatMap(
		(file) =>
			readFileSync(file, 'utf8')
				.toLowerCase()
				.match(/[a-z]+/g) ?? [],
	);
	return new Set(words);
}

const rowsWith = (count: number, keys: string[]) =>
	Array.from({ length: count }, () => Object.fromEntries(keys.map((key) => [key, 1])));

test.each<[rows: Record<string, number>[], text: string]>([
	[rowsWith(3, ['id', 'stage']), 'id, stage'],
	// Of one or two records, any key may be data.
	[rowsWith(2, ['id', 'anna']), '2 others'],
	[[...rowsWith(9, ['id']), { id: 1, anna: 2 }], 'id, 1 others'],
	[rowsWith(9, ['a@example.com', 'two words', '+12025550143']), '3 others'],
	[[{}], ''],
])('the keys of %j: %s', (rows, text) => {
	expect(keysOf(rows).text).toBe(text);
});
