import type {
	ICredentialDataDecryptedObject,
	ICredentials,
	ICredentialType,
	IDataObject,
	IHttpRequestOptions,
	INode,
	INodeProperties,
	Workflow,
} from 'n8n-workflow';
import { ICredentialsHelper, isExpression } from 'n8n-workflow';

/** Hands nodes the credentials it was given, and signs requests as n8n does: by the credential type's own rules. */
export class Credentials extends ICredentialsHelper {
	constructor(
		private readonly types: Map<string, ICredentialType>,
		private readonly values: Record<string, ICredentialDataDecryptedObject>,
	) {
		super();
	}

	getParentTypes(): string[] {
		return [];
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		requestOptions: IHttpRequestOptions,
		workflow?: Workflow,
		node?: INode,
	): Promise<IHttpRequestOptions> {
		const rules = this.types.get(typeName)?.authenticate;
		if (typeof rules === 'function') return await rules(credentials, requestOptions);
		if (!rules || !workflow || !node) return requestOptions;
		const resolve = (value: unknown): string => {
			if (typeof value !== 'string' || !isExpression(value)) return String(value);
			const keys = { $credentials: credentials as never };
			return String(
				workflow.expression.getSimpleParameterValue(node, value, 'internal', keys, undefined, ''),
			);
		};
		const headers = Object.entries(rules.properties.headers ?? {}).map(([name, value]) => [
			resolve(name),
			resolve(value),
		]);
		return {
			...requestOptions,
			headers: { ...requestOptions.headers, ...(Object.fromEntries(headers) as IDataObject) },
		};
	}

	async preAuthentication(): Promise<undefined> {
		return undefined;
	}

	async runPreAuthentication(): Promise<undefined> {
		return undefined;
	}

	async getCredentials(): Promise<ICredentials> {
		throw new Error('Credentials are not stored here');
	}

	async getDecrypted(
		_data: unknown,
		_node: unknown,
		type: string,
	): Promise<ICredentialDataDecryptedObject> {
		const value = this.values[type];
		if (!value) throw new Error(`There is no credential of type ${type}`);
		return { ...value };
	}

	async updateCredentials(): Promise<void> {}

	async updateCredentialsOauthTokenData(): Promise<void> {}

	getCredentialsProperties(type: string): INodeProperties[] {
		return this.types.get(type)?.properties ?? [];
	}
}
