/** What `npm run new` writes, from the files of this repository. */
import { existsSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { newOperation } from '../../tools/scripts/newOperation.mts';

const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);

/** Its files by their names, without the differences that Prettier removes. */
function written(resource: string, operation: string, endpoint: string) {
	const files = newOperation({ resource, operation, endpoint }, read);
	return Object.values(files).map((text) => {
		const { diagnostics } = ts.transpileModule(text, { reportDiagnostics: true });
		expect(diagnostics).toStrictEqual([]);
		return text.replaceAll(/\s+/g, ' ');
	}) as [operation: string, index: string, fixtures: string];
}

test('an operation for a record in a record has the fields of its path, its order and its fixture', () => {
	const [operation, index, fixtures] = written(
		'ticket',
		'removeTag',
		'DELETE /tickets/{id}/tags/{tagId}',
	);
	for (const part of [
		"name: 'Remove Tag', value: 'removeTag', action: 'Remove tag of ticket',",
		"endpoint: 'DELETE /tickets/{id}/tags/{tagId}'",
		"ticketParameter.field, { displayName: 'Tag ID', name: 'tagId', type: 'string'",
		"result: 'deleted', orderingKey: ticketParameter.orderingKey",
		"path: { ...ticketParameter.path(parameters), tagId: parameters.requiredId('tagId') }",
	])
		expect(operation).toContain(part);
	expect(index).toContain("'./getAll'; import { removeTag } from './removeTag'; import { update }");
	expect(index).toContain('getAll, removeTag, update], defaultOperation: create,');
	const [, entry] = fixtures.split(/ removeTag: /);
	expect(entry).toContain("{ ticketId: id('ticketId'), tagId: value('tagId') }");
	expect(entry).toContain("order: [written('ticketId'), { ticketId: byId('R2') }]");
	expect(entry).toMatch(/\}, \}; $/);
	expect(fixtures).toMatch(/ id, [^}]*\bvalue, written, type Fixture, type Fixtures \}/);
});
