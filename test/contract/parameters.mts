import { readContract } from '../../sandbox/contract.mts';

/** Names that a request to a route may contain: "path id", "query status", "body title". */
type Names = Set<string>;

interface Reference {
	$ref?: string;
}

interface Parameter extends Reference {
	name: string;
	in: string;
}

interface Schema extends Reference {
	properties?: Record<string, unknown>;
}

interface Item {
	parameters?: Parameter[];
	[method: string]: unknown;
}

interface OperationObject {
	parameters?: Parameter[];
	requestBody?: Reference & { content?: Record<string, { schema: Schema }> };
}

/** Every route of the contract, with the names that a request may contain. */
export function contractParameters(): Map<string, Names> {
	const contract = readContract();
	const resolve = <T extends Reference>(value: T): T => {
		if (value.$ref === undefined) return value;
		const keys = value.$ref.replace('#/', '').split('/');
		return keys.reduce<unknown>(
			(node, key) => (node as Record<string, unknown>)[key],
			contract,
		) as T;
	};
	const routes = new Map<string, Names>();
	for (const [path, item] of Object.entries(contract.paths as Record<string, Item>)) {
		for (const method of ['get', 'post', 'put', 'patch', 'delete']) {
			const operation = item[method] as OperationObject | undefined;
			if (!operation) continue;
			const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolve);
			const names: Names = new Set(parameters.map(({ name, in: place }) => `${place} ${name}`));
			const body = operation.requestBody && resolve(operation.requestBody);
			const schema = body?.content?.['application/json']?.schema;
			for (const name of Object.keys((schema && resolve(schema).properties) ?? {}))
				names.add(`body ${name}`);
			routes.set(`${method.toUpperCase()} ${path}`, names);
		}
	}
	return routes;
}
