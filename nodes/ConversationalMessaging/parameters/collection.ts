import type {
	IDataObject,
	INodeProperties,
	INodePropertyCollection,
	NodeOperationError,
} from 'n8n-workflow';
import { type Message, shown } from '../api/access/shown';
import { isOwn, isRecord } from '../api/response/response';
import type { OptionalKind } from './emptyValues';
import { FieldReader } from './fieldReader';
import { isFilledIn } from './savedParameters';
import { readObject } from './values';

interface Fields {
	/** What expressions returned. */
	values: IDataObject;
	/** As they were saved, with their expressions. */
	saved: unknown;
	properties: INodeProperties[];
}

/** The fields of a collection that a user added. */
export class Collection extends FieldReader {
	/** @param name of the collection; undefined for an entry of a fixed collection, which always has all of its fields */
	constructor(
		private readonly owner: FieldReader,
		private readonly name: string | undefined,
		private readonly fields: Fields,
		protected readonly kind: OptionalKind = 'optional',
	) {
		super();
		this.isOptional = name === 'options' || name === 'additionalFields';
	}

	protected override readonly isOptional: boolean;

	protected read(name: string): unknown {
		return this.has(name) ? this.fields.values[name] : undefined;
	}

	/** The entries of a fixed collection of one kind, e.g. variables; [] if the user added none. */
	groups(name: string): Collection[] {
		return groupsOf(this, this.property(name), this.one(name, readObject), this.savedValue(name));
	}

	protected property(name: string): INodeProperties | undefined {
		return this.fields.properties.find((property) => property.name === name);
	}

	protected isSet(name: string): boolean {
		const mayBeUntouched = this.name === undefined && this.kind !== 'clearing';
		return this.has(name) && (!mayBeUntouched || isFilledIn(this.savedValue(name)));
	}

	protected override empty(name: string): NodeOperationError {
		if (this.name !== 'filters') return super.empty(name);
		return this.invalid(
			shown`${this.label(name)} is empty`,
			'You added this filter, but it has no value. Check its expression, or turn on Ignore Empty Filters in Options to run without it.',
		);
	}

	private has(name: string): boolean {
		return isOwn(this.fields.values, name);
	}

	savedValue(name: string): unknown {
		const { saved } = this.fields;
		return isRecord(saved) ? saved[name] : saved;
	}

	invalid<M extends string, D extends string>(
		message: Message<M>,
		description: Message<D>,
	): NodeOperationError {
		return this.owner.invalid(message, description);
	}
}

/** The entries of a fixed collection of one kind. */
export function groupsOf(
	owner: FieldReader,
	property: INodeProperties | undefined,
	values: IDataObject | undefined,
	saved: unknown,
	kind?: OptionalKind,
): Collection[] {
	const [group] = (property?.options ?? []) as INodePropertyCollection[];
	if (!group) return [];
	const properties = group.values;
	const savedEntries = isRecord(saved) ? [saved[group.name]].flat() : [];
	return [values?.[group.name]].flat().flatMap((entry, index) => {
		if (!isRecord(entry)) return [];
		const fields = { values: entry, saved: savedEntries[index], properties };
		return [new Collection(owner, undefined, fields, kind)];
	});
}
