/** What `npm run new` writes. */
import ts from 'typescript';
import { newOperation, type Place } from '../../tools/scripts/newOperation.mts';

const FOLDER = 'nodes/ConversationalMessaging/resources/ticket';

/** An operation, beside a field that has a name, too. */
const operationOf = (name: string, identifier: string) =>
	`const fields = [{\n\tname: 'title',\n}];\nexport const ${identifier} = {\n\tname: '${name}',\n};\n`;

/** The files that it reads: those of a resource with three operations. */
const FILES: Record<string, string> = {
	[`${FOLDER}/index.ts`]: [
		"import { create } from './create';",
		"import { remove } from './delete';",
		"import { update } from './update';",
		'',
		'export const ticket = { operations: [create, remove, update], defaultOperation: create };',
	].join('\n'),
	[`${FOLDER}/create.ts`]: operationOf('Create', 'create'),
	[`${FOLDER}/delete.ts`]: operationOf('Delete', 'remove'),
	[`${FOLDER}/update.ts`]: operationOf('Update', 'update'),
	'nodes/ConversationalMessaging/descriptions/records.ts':
		'export const ticketParameter = pathParameter();',
	'test/fixtures/ticket.mts': [
		"import { byId } from '../../tools/engine/workflows.mts';",
		"import { OF_CONTACT, type Fixture, type Fixtures } from './fixture.mts';",
		'export const ticketFixtures: Fixtures = {',
		'\tcreate: { runs: [{ parameters: {} }], order: OF_CONTACT },',
		'};\n',
	].join('\n'),
};

/** Its files by their names, without the differences that Prettier removes. */
function written(operation: string, endpoint: string, ofContract: Partial<Place> = {}) {
	const place = { resource: 'ticket', operation, endpoint, ...ofContract };
	return Object.values(newOperation(place, (path) => FILES[path])).map((text) => {
		const { diagnostics } = ts.transpileModule(text, { reportDiagnostics: true });
		expect(diagnostics).toStrictEqual([]);
		return text.replaceAll(/\s+/g, ' ');
	}) as [operation: string, index: string, fixtures: string];
}

test('an operation for a record in a record has the fields of its path, its order and its fixture', () => {
	const [operation, index, fixtures] = written('removeTag', 'DELETE /tickets/{id}/tags/{tagId}');
	for (const part of [
		"name: 'Remove Tag', value: 'removeTag', action: 'Remove tag of ticket',",
		"endpoint: 'DELETE /tickets/{id}/tags/{tagId}'",
		"import { textField } from '../../descriptions/basicFields';",
		"= [textField('Tag ID', 'tagId', { required: true,",
		"of: ticketParameter, fields, result: 'deleted'",
		"path: { tagId: parameters.id('tagId', 'required') }",
	])
		expect(operation).toContain(part);
	expect(index).toContain("'./delete'; import { removeTag } from './removeTag'; import { update }");
	expect(index).toContain('[create, remove, removeTag, update], defaultOperation: create');
	const [, entry] = fixtures.split(/ removeTag: /);
	expect(entry).toContain("{ ticketId: id('ticketId'), tagId: value('tagId') }");
	expect(entry).toContain("order: [written('ticketId'), { ticketId: byId('R2') }]");
	expect(entry).toMatch(/\}, \}; $/);
	expect(fixtures).toMatch(/ id, [^}]*\bvalue, written, type Fixture, type Fixtures \}/);
});

test.each([
	[true, "result: 'record', request: (parameters) => ({ body: {} }), };"],
	[false, "result: 'record', };"],
])('a write has a body only if the contract has one: %s', (hasBody, end) => {
	const [operation] = written('close', 'POST /tickets/{id}/close', { hasBody });
	expect(operation).toContain(end);
});

test.each([
	['getAll', 'GET /tickets', "name: 'Get Many', value: 'getAll', action: 'Get many tickets'"],
	['getNotes', 'GET /tickets/{id}/notes', "name: 'Get Notes', value: 'getNotes', action: 'Get not"],
	['getAllTags', 'GET /tickets/tags', "name: 'Get Many Tags', value: 'getAllTags', action: 'Get m"],
])('a list, %s, has its own name, and its place by that name', (name, endpoint, begin) => {
	const [operation, index, fixtures] = written(name, endpoint, { isList: true });
	expect(operation).toContain(begin);
	expect(operation).toContain("result: 'list'");
	expect(index).toContain(`[create, remove, ${name}, update]`);
	expect(fixtures).toMatch(new RegExp(` ${name}: \\{ runs: \\[\\{ parameters: \\{ \\.\\.\\.ALL`));
});
