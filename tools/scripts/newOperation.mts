/** What `npm run new` writes for an operation: enough to compile, and for the tests to say what is missing. */
import { capitalized } from '../../nodes/ConversationalMessaging/api/base/text.ts';

/** Where an operation is added. */
export interface Place {
	/** "ticket" */
	resource: string;
	/** "deleteNote" */
	operation: string;
	/** "DELETE /tickets/{id}/notes/{noteId}" */
	endpoint: string;
	/** Whether the endpoint returns a list. */
	isList?: boolean;
	/** Whether its request has a body. */
	hasBody?: boolean;
}

/** Reads a file of the repository; undefined if there is none. */
type Read = (path: string) => string | undefined;

const NODE = 'nodes/ConversationalMessaging';

/** Names that JavaScript keeps for itself. */
const RESERVED = ['delete', 'export', 'import', 'new', 'switch'];

/**
 * The operation, its line in the index of its resource, and its fixture.
 *
 * @returns the files to write, by path, not yet formatted
 * @throws Error if the resource does not exist, or the operation does, with what to do
 */
export function newOperation(place: Place, read: Read): Record<string, string> {
	const { resource, operation } = place;
	const folder = `${NODE}/resources/${resource}`;
	const file = `${folder}/${operation}.ts`;
	const index = read(`${folder}/index.ts`);
	const fixtures = read(`test/fixtures/${resource}.mts`);
	if (index === undefined || fixtures === undefined)
		throw new Error(
			`There is no resource ${resource}. Add ${folder}/index.ts with its default operation, and test/fixtures/${resource}.mts, and list both in the index of their folder.`,
		);
	if (read(file) !== undefined) throw new Error(`${file} exists. Choose another name.`);
	if (!/^[a-z][A-Za-z]*$/.test(operation))
		throw new Error(`${operation} is no name. Write it as in deleteNote.`);
	const hasParameter = new RegExp(`export const ${parameterOf(resource)}\\b`).test(
		read(`${NODE}/descriptions/records.ts`) ?? '',
	);
	return {
		[file]: operationText(place, hasParameter),
		[`${folder}/index.ts`]: withOperation(index, place, (name) => read(`${folder}/${name}.ts`)),
		[`test/fixtures/${resource}.mts`]: withFixture(fixtures, place),
	};
}

/** "deleteNote" → ["delete", "note"], "getAll" → ["get", "many"] */
const wordsOf = (name: string): string[] =>
	name
		.replace(/^getAll(?![a-z])/, 'getMany')
		.split(/(?=[A-Z])/)
		.map((word) => word.toLowerCase());
/** "deleteNote" → "Delete Note" */
const titleOf = (name: string): string =>
	wordsOf(name).map(capitalized).join(' ').replace(/\bId$/, 'ID');
const parameterOf = (resource: string): string => `${resource}Parameter`;

/** "deleteNote" → "Delete note of ticket", "archive" → "Archive ticket" */
function actionOf({ resource, operation }: Place): string {
	const words = wordsOf(operation);
	const record = wordsOf(resource).join(' ');
	if (operation === 'getAll') return `Get many ${record}s`;
	return capitalized([...words, ...(words.length > 1 ? ['of'] : []), record].join(' '));
}

function identifierOf({ resource, operation }: Place): string {
	if (operation === 'delete') return 'remove';
	return RESERVED.includes(operation) ? operation + capitalized(resource) : operation;
}

/** The fields for the places of the path: of `/tickets/{id}/notes/{noteId}`, ticketId and noteId. */
const pathFields = ({ resource, endpoint }: Place): [name: string, place: string][] =>
	[...endpoint.matchAll(/\{(\w+)\}/g)].map(([, place = '']) => [
		place === 'id' ? `${resource}Id` : place,
		place,
	]);

function operationText(place: Place, hasParameter: boolean): string {
	const { resource, operation, endpoint, isList, hasBody } = place;
	const [method = ''] = endpoint.split(' ');
	const record = parameterOf(resource);
	const usesRecord = hasParameter && endpoint.includes('{id}');
	const own = pathFields(place).filter(([, name]) => !(usesRecord && name === 'id'));
	const fields = own.map(([name]) => fieldText(name));
	const ids = own.map(([name, key]) => `${key}: parameters.id('${name}', 'required')`);
	const parts = [
		...(ids.length > 0 ? [`path: { ${ids.join(', ')} }`] : []),
		// A field of the body is read like this: title: parameters.text('title', 'required').
		...(hasBody ? ['body: {}'] : []),
	];
	const action = actionOf(place);
	return [
		"import type { INodeProperties } from 'n8n-workflow';",
		...(fields.length > 0 ? ["import { textField } from '../../descriptions/basicFields';"] : []),
		...(usesRecord ? [`import { ${record} } from '../../descriptions/records';`] : []),
		"import type { Operation } from '../../runner/operation';",
		'',
		`const fields: INodeProperties[] = [${fields.join(', ')}];`,
		'',
		`export const ${identifierOf(place)}: Operation = {`,
		`name: '${titleOf(operation)}',`,
		`value: '${operation}',`,
		`action: '${action}',`,
		`description: '${operation === 'getAll' ? action : action.replace(/ (\w+)$/, ' a $1')}',`,
		`endpoint: '${endpoint}',`,
		...(usesRecord ? [`of: ${record},`] : []),
		'fields,',
		...(isList
			? ["result: 'list',"]
			: [`result: '${method === 'DELETE' ? 'deleted' : 'record'}',`]),
		...(parts.length > 0 ? [`request: (parameters) => ({ ${parts.join(', ')} }),`] : []),
		'};',
		'',
	].join('\n');
}

const fieldText = (name: string): string =>
	`textField('${titleOf(name)}', '${name}', { required: true, description: 'ID of the ${wordsOf(name).slice(0, -1).join(' ')}' })`;

/** The index with the operation: imports by file, operations by the names that users see. */
function withOperation(index: string, place: Place, read: Read): string {
	const imports = [...index.matchAll(/^import \{ (\w+) \} from '\.\/(\w+)';$/gm)].map(
		([line, identifier = '', file = '']) => ({ line, identifier, file }),
	);
	const own = { identifier: identifierOf(place), file: place.operation };
	const line = `import { ${own.identifier} } from './${own.file}';`;
	const after = imports.findLast(({ file }) => file.localeCompare(own.file) < 0);
	const names = new Map(
		imports.map(({ identifier, file }) => [
			identifier,
			// Fields and other objects of the file have names, too.
			new RegExp(`^export const ${identifier}\\b[^]*?^\\tname: '(.+)',$`, 'm').exec(
				read(file) ?? '',
			)?.[1] ?? '',
		]),
	);
	names.set(own.identifier, titleOf(place.operation));
	const withImport = after
		? index.replace(after.line, `${after.line}\n${line}`)
		: `${line}\n${index}`;
	return withImport.replace(/operations: \[([^\]]*)\]/, (_all, listed: string) => {
		const identifiers = [...listed.split(/,\s*/).filter(Boolean), own.identifier];
		const sorted = identifiers.toSorted((one, other) =>
			(names.get(one.trim()) ?? '').localeCompare(names.get(other.trim()) ?? ''),
		);
		return `operations: [${sorted.join(', ')}]`;
	});
}

/** The fixtures of a resource with one for the operation. */
function withFixture(fixtures: string, place: Place): string {
	const { operation, resource, endpoint, isList } = place;
	const fields = pathFields(place).map(([name]) => name);
	const others = fields.filter((name) => name !== `${resource}Id`);
	const isOrdered = !endpoint.startsWith('GET ') && fields.includes(`${resource}Id`);
	const values = fields.map(
		(name) => `${name}: ${others.includes(name) ? 'value' : 'id'}('${name}')`,
	);
	const entry = [
		`\t${operation}: {`,
		'runs: [{',
		`parameters: { ${[...(isList ? ['...ALL'] : []), ...values].join(', ')} },`,
		...(others.length > 0
			? [
					'// Create what the run uses up with the first argument, and return its ID.',
					`make: () => ({ ${others.map((name) => `${name}: 'x'`).join(', ')} }),`,
				]
			: []),
		'}],',
		...(isOrdered ? [`order: [written('${resource}Id'), { ${resource}Id: byId('R2') }],`] : []),
		'},',
	].join('\n');
	let text = fixtures.replace(/\n\};\n$/, `\n${entry}\n};\n`);
	const used = [
		...(isList ? ['ALL'] : []),
		...(fields.length > others.length ? ['id'] : []),
		...(others.length > 0 ? ['value'] : []),
		...(isOrdered ? ['written'] : []),
	];
	text = withImports(text, './fixture.mts', used);
	return isOrdered ? withImports(text, '../../tools/engine/workflows.mts', ['byId']) : text;
}

/** A file that also imports these names from a module. */
function withImports(text: string, module: string, names: string[]): string {
	const pattern = new RegExp(`import \\{([^}]*)\\} from '${module.replaceAll('.', '\\.')}';`);
	const before = pattern.exec(text)?.[1] ?? '';
	const all = new Set([...before.split(',').map((name) => name.trim()), ...names].filter(Boolean));
	// Types come last.
	const bare = (name: string) => name.replace('type ', '~').toLowerCase();
	const sorted = [...all].toSorted((one, other) => (bare(one) < bare(other) ? -1 : 1));
	const line = `import { ${sorted.join(', ')} } from '${module}';`;
	return pattern.test(text) ? text.replace(pattern, line) : `${line}\n${text}`;
}
