import type { IDataObject, INodeProperties, NodeOperationError } from 'n8n-workflow';
import { FieldReader } from './fieldReader';
import { isBlank, locatorValue } from './values';

/** The fields of a collection that a user added. */
export class Collection extends FieldReader {
	constructor(
		private readonly owner: FieldReader,
		private readonly values: IDataObject,
		private readonly properties: INodeProperties[],
	) {
		super();
	}

	protected read(name: string): unknown {
		return this.isSet(name) ? this.values[name] : undefined;
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
