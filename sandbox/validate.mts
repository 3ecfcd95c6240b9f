import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { OpenAPIBackend, type Document, type Operation, type Request } from 'openapi-backend';
import { invalid } from './replies.mts';

export type { Operation, Request as ContractRequest };

export type CheckedQuery = Record<string, string | number | boolean>;

/** Matches requests to the operations of a contract and validates them. */
export class ContractChecker {
	private readonly matched = new Map<string, Operation | undefined>();

	private constructor(private readonly api: OpenAPIBackend) {}

	static async of(contract: Record<string, unknown>): Promise<ContractChecker> {
		const api = new OpenAPIBackend({
			definition: contract as unknown as Document,
			apiRoot: '/api/v2',
			// This library's check of the document supports only OpenAPI 3.0.
			quick: true,
			coerceTypes: true,
			ignoreTrailingSlashes: false,
			// The contract is OpenAPI 3.1, whose schemas are JSON Schema 2020-12.
			customizeAjv: (_ajv, options) => {
				// The linter checks the document itself, once. Ajv would check each schema of each operation.
				const checks = { strict: false, allErrors: true, validateSchema: false };
				const ajv = new Ajv2020({ ...options, ...checks });
				// Its types do not match the way it is published for the two module systems.
				(addFormats as unknown as { default: (target: Ajv2020) => void }).default(ajv);
				return ajv;
			},
		});
		await api.init();
		// The library lists the operations again for each request, which takes longer than to validate it.
		const operations = api.router.getOperations();
		api.router.getOperations = () => operations;
		return new ContractChecker(api);
	}

	/** The operation of a request, literal paths before templated ones; undefined if there is none. */
	match(request: Request): Operation | undefined {
		// The library compares a path with every template, which takes longer than to validate the request.
		const key = `${request.method} ${request.path}`;
		if (!this.matched.has(key)) this.matched.set(key, this.api.matchOperation(request));
		return this.matched.get(key);
	}

	pathParams(request: Request, operation: Operation): Record<string, string> {
		return this.api.router.parseRequest(request, operation).params as Record<string, string>;
	}

	/**
	 * The query of a request with the contract's types.
	 *
	 * @throws HttpError 400 that names each parameter or field that is invalid, missing or unknown
	 */
	check(request: Request, operation: Operation): CheckedQuery {
		const result = this.api.validateRequest(request, operation);
		if (!result.valid) {
			const reasons = (result.errors ?? []).map(({ instancePath, message, params }) => {
				const extra = (params as { additionalProperty?: string }).additionalProperty;
				const where = instancePath.split('/').filter(Boolean).join('.') || 'body';
				return extra ? `${where}: unknown field ${extra}` : `${where} ${message ?? 'is not valid'}`;
			});
			throw invalid(`Invalid request: ${[...new Set(reasons)].join('; ')}`);
		}
		return (result.coerced as { query?: CheckedQuery } | undefined)?.query ?? {};
	}
}
