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

	/** The same collection without the fields that have no value. */
	withoutEmpty(): Collection {
		const filled = Object.entries(this.values).filter(([name]) => !this.isEmpty(name));
		return new Collection(this.owner, Object.fromEntries(filled), this.properties, this.isOptional);
	}

	/** @throws NodeOperationError for a field that was added but has no value */
	withNoneEmpty(): this {
		const empty = Object.keys(this.values).find((name) => this.isEmpty(name));
		if (empty === undefined) return this;
		throw this.invalid(
			`${this.label(empty)} is empty`,
			'You added this filter, but it has no value. Check its expression, or turn on Ignore Empty Filters in Options to run without it.',
		);
	}

	private isEmpty(name: string): boolean {
		return isBlank(locatorValue(this.read(name)));
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
