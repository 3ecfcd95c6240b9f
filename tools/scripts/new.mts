/**
 * Starts an operation: `npm run new -- ticket deleteNote` writes it, its line in the index of its resource and its fixture. Its
 * endpoint is the one of the contract that no operation has yet; if there are several, it is a third argument.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import prettier from 'prettier';
import { resources } from '../../nodes/ConversationalMessaging/resources/index.ts';
import { readContract, routesOf } from '../../sandbox/contract.mts';
import { newOperation } from './newOperation.mts';

const root = new URL('../../', import.meta.url);
const pathInRepository = (file: string): string => fileURLToPath(new URL(file, root));

function read(file: string): string | undefined {
	try {
		return readFileSync(pathInRepository(file), 'utf8');
	} catch {
		return undefined;
	}
}

const contract = readContract();

function chooseEndpoint(given?: string): string {
	const covered = new Set<string>(
		resources.flatMap(({ operations }) =>
			operations.flatMap(({ endpoint, otherEndpoints = [] }) => [endpoint, ...otherEndpoints]),
		),
	);
	const all = [...routesOf(contract).values()].map(({ name }) => name);
	if (given !== undefined) {
		if (all.includes(given)) return given;
		throw new Error(`${given} is not in sandbox/openapi.yaml. Add it there first.`);
	}
	const left = all.filter((name) => !covered.has(name));
	const [only, another] = left;
	if (only !== undefined && another === undefined) return only;
	throw new Error(
		only === undefined
			? 'Every endpoint of sandbox/openapi.yaml has an operation. Add the new one there first, or name one: npm run new -- ticket archive "PUT /tickets/{id}"'
			: `Which endpoint? Name one: ${left.join(', ')}`,
	);
}

/** What the contract says of an endpoint: whether it returns a list, and has a body. */
function ofContract(endpoint: string): { isList: boolean; hasBody: boolean } {
	const [method = '', path = ''] = endpoint.split(' ');
	const paths = contract.paths as Record<string, Record<string, object>>;
	const route = paths[path]?.[method.toLowerCase()] ?? {};
	const isList = JSON.stringify(route).includes('"#/components/responses/List"');
	return { isList, hasBody: 'requestBody' in route };
}

try {
	const [resource, operation, given] = process.argv.slice(2);
	if (resource === undefined || operation === undefined)
		throw new Error(
			'Usage: npm run new -- RESOURCE OPERATION ["METHOD /path"], e.g. ticket deleteNote',
		);
	const endpoint = chooseEndpoint(given);
	const files = newOperation({ resource, operation, endpoint, ...ofContract(endpoint) }, read);
	for (const [file, text] of Object.entries(files)) {
		const options = await prettier.resolveConfig(pathInRepository(file));
		writeFileSync(
			pathInRepository(file),
			await prettier.format(text, { ...options, filepath: file }),
		);
		console.log(`wrote ${file}`);
	}
	console.log(`
Next, for ${endpoint}:
1. Add its line to the table in nodes/ConversationalMessaging/api/endpoint.ts, from the service's document.
2. Complete the texts and fields of the operation, and the records of its fixture.
3. npx jest test/contract test/sandbox test/api/permissions test/resources/order
   npm run build && npx jest test/engine/everyOperation test/engine/everyFault test/engine/shapes
4. Test what it does in test/engine/, then npm run docs and npm run lint:fix.`);
} catch (error) {
	console.error((error as Error).message);
	process.exitCode = 1;
}
