import type {
	IDataObject,
	INodeProperties,
	INodePropertyCollection,
	NodeOperationError,
} from 'n8n-workflow';
import { isRecord } from '../api/response';
import { FieldReader } from './fieldReader';
import { isBlank, locatorValue } from './values';

/** The fields of a collection that a user added. */
export class Collection extends FieldReader {
	constructor(
		private readonly owner: FieldReader,
		private readonly values: IDataObject,
		private readonly properties: INodeProperties[],
		protected override readonly isOptional = false,
	) {
		super();
	}

	protected read(name: string): unknown {
		return this.isSet(name) ? this.values[name] : undefined;
	}

	/** The entries of a fixed collection of one kind, e.g. variables; [] if the user added none. */
	groups(name: string): Collection[] {
		return groupsOf(this, this.property(name), this.raw(name));
	}

	/** Rejects a field that was added but has no value. */
	withoutEmpty(): this {
		const empty = Object.keys(this.values).find((name) => isBlank(locatorValue(this.read(name))));
		if (empty === undefined) return this;
		throw this.invalid(
			`${this.label(empty)} is empty`,
			'You added this filter, but it has no value. Check its expression, or turn on Ignore Empty Filters in Options to run without it.',
		);
	}

	protected property(name: string): INodeProperties | undefined {
		return this.properties.find((property) => property.name === name);
	}

	protected isSet(name: string): boolean {
		return Object.prototype.hasOwnProperty.call(this.values, name);
	}

	invalid(message: string, description: string): NodeOperationError {
		return this.owner.invalid(message, description);
	}
}

/** The entries of a fixed collection of one kind. */
export function groupsOf(
	owner: FieldReader,
	property: INodeProperties | undefined,
	values: unknown,
): Collection[] {
	const [kind] = (property?.options ?? []) as INodePropertyCollection[];
	const entries = kind && isRecord(values) ? [values[kind.name]].flat().filter(isRecord) : [];
	return entries.map((entry) => new Collection(owner, entry, kind?.values ?? []));
}
