import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { OpenAPIBackend, type Document } from 'openapi-backend';
import { readContract, routesOf } from '../sandbox/contract.mts';

/** What a response has against the contract: where, and which rule. */
export interface Violation {
	/** Keys from the body to the place. */
	path: string[];
	/** The rule of JSON Schema, e.g. "required". */
	rule: string;
	/** The missing key, or the expected type. */
	detail?: string;
}

const operations = new Map(
	[...routesOf(readContract()).values()].map(({ name, operationId }) => [name, operationId]),
);

let backend: Promise<OpenAPIBackend> | undefined;

async function contract(): Promise<OpenAPIBackend> {
	const api = new OpenAPIBackend({
		definition: readContract() as unknown as Document,
		apiRoot: '/api/v2',
		// The contract is OpenAPI 3.1, which this library checks with the schema of 3.0.
		quick: true,
		customizeAjv: (_ajv, options) => {
			const ajv = new Ajv2020({ ...options, strict: false, allErrors: true });
			// Its types do not match the way it is published for the two module systems.
			(addFormats as unknown as { default: (target: Ajv2020) => void }).default(ajv);
			// The library's type describes the previous class.
			return ajv as never;
		},
	});
	await api.init();
	return api;
}

/** What a body has against the contract of its route and status; [] if nothing. */
export async function violations(
	route: string,
	status: number,
	body: unknown,
): Promise<Violation[]> {
	const api = await (backend ??= contract());
	const { errors } = api.validateResponse(body, operations.get(route) ?? '', status);
	return (errors ?? []).map(({ instancePath, keyword, params }) => {
		const { missingProperty, type } = params as {
			missingProperty?: string;
			type?: string | string[];
		};
		const detail = missingProperty ?? (type === undefined ? undefined : [type].flat().join(' or '));
		return { path: instancePath.split('/').filter(Boolean), rule: keyword, detail };
	});
}
