import { getAdditionalKeys } from 'n8n-core';
import {
	type ICredentialDataDecryptedObject,
	type ICredentials,
	type ICredentialsExpressionResolveValues,
	type ICredentialType,
	type IDataObject,
	type IExecuteData,
	type IHttpRequestOptions,
	type INode,
	type INodeCredentialsDetails,
	type INodeParameters,
	type INodeProperties,
	type IWorkflowExecuteAdditionalData,
	type WorkflowExecuteMode,
	ICredentialsHelper,
	isExpression,
	NodeHelpers,
	Workflow,
} from 'n8n-workflow';

/** The node of a workflow without items, in which n8n resolves expressions outside of an execution. */
const NO_NODE: INode = {
	id: '',
	name: '',
	type: 'none',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

/** Gives nodes the given credentials, and authenticates requests as n8n does: by the credential type's own rules. */
export class Credentials extends ICredentialsHelper {
	/** How often a credential was read. In n8n, each read is a database query. */
	reads = 0;

	/** Headers by credential: expressions in them can only contain its fields. */
	private static readonly headers = new Map<string, IDataObject>();

	constructor(
		private readonly types: Map<string, ICredentialType>,
		private readonly values: Record<string, ICredentialDataDecryptedObject>,
		/** Those of nodes that have another credential, by its ID. */
		private readonly others: Record<string, ICredentialDataDecryptedObject> = {},
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
		const key = JSON.stringify([typeName, credentials]);
		const known = Credentials.headers.get(key);
		if (known) return { ...requestOptions, headers: { ...requestOptions.headers, ...known } };
		const resolve = (value: unknown): string => {
			if (typeof value !== 'string' || !isExpression(value)) return String(value);
			const keys = { $credentials: credentials as never };
			return String(
				workflow.expression.getSimpleParameterValue(node, value, 'internal', keys, undefined, ''),
			);
		};
		const headers = Object.fromEntries(
			Object.entries(rules.properties.headers ?? {}).map(([name, value]) => [
				resolve(name),
				resolve(value),
			]),
		) as IDataObject;
		Credentials.headers.set(key, headers);
		return { ...requestOptions, headers: { ...requestOptions.headers, ...headers } };
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

	/** With its expressions resolved as n8n's own helper does: for an item, or, in the editor, without one. */
	async getDecrypted(
		additionalData: IWorkflowExecuteAdditionalData,
		{ id }: Partial<INodeCredentialsDetails>,
		type: string,
		mode: WorkflowExecuteMode,
		executeData?: IExecuteData,
		_raw?: boolean,
		item?: ICredentialsExpressionResolveValues,
	): Promise<ICredentialDataDecryptedObject> {
		const stored = this.others[id ?? ''] ?? this.values[type];
		if (!stored) throw new Error(`There is no credential of type ${type}`);
		this.reads++;
		const fields = this.getCredentialsProperties(type);
		const values = NodeHelpers.getNodeParameters(
			fields,
			stored as INodeParameters,
			true,
			false,
			null,
			null,
		) as INodeParameters;
		const keys = getAdditionalKeys(additionalData, mode, null, { isCredential: true });
		if (!item) return this.resolveWithoutItem(values, mode, keys);
		return item.workflow.expression.getParameterValue(
			values,
			item.runExecutionData,
			item.runIndex,
			item.itemIndex,
			item.node.name,
			item.connectionInputData,
			mode,
			keys,
			executeData,
			false,
			values,
		) as ICredentialDataDecryptedObject;
	}

	private resolveWithoutItem(
		values: INodeParameters,
		mode: WorkflowExecuteMode,
		keys: ReturnType<typeof getAdditionalKeys>,
	): ICredentialDataDecryptedObject {
		const nodeTypes = {
			getByName: () => ({}) as never,
			getByNameAndVersion: () => ({ description: { properties: [] } }) as never,
			getKnownTypes: () => ({}),
		};
		const { expression } = new Workflow({
			nodes: [NO_NODE],
			connections: {},
			active: false,
			nodeTypes,
		});
		return expression.getComplexParameterValue(
			NO_NODE,
			values,
			mode,
			keys,
			undefined,
			undefined,
			values,
		) as ICredentialDataDecryptedObject;
	}

	async updateCredentials(): Promise<void> {}

	async updateCredentialsOauthTokenData(): Promise<void> {}

	getCredentialsProperties(type: string): INodeProperties[] {
		return this.types.get(type)?.properties ?? [];
	}
}
