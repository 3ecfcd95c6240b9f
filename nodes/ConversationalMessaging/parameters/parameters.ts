import type {
	IDataObject,
	IExecuteFunctions,
	INodeProperties,
	IPollFunctions,
	NodeOperationError,
} from 'n8n-workflow';
import type { Message } from '../api/access/shown';
import { invalid } from '../api/errors';
import { isRecord } from '../api/response/response';
import { textOf } from '../api/base/text';
import { customerId } from '../phone/customerId';
import { Collection, groupsOf } from './collection';
import { type Moment, readMoment } from './dateTime';
import { chosenInEditor } from './editor';
import { type OptionalKind, COLLECTION_KINDS } from './emptyValues';
import { FieldReader } from './fieldReader';
import { type NumberCountry, readCountry, readWhatsAppId } from './customer';
import { isFilledIn, SavedParameters, savedVariable, variesByItem } from './savedParameters';
import { readObject } from './values';

export const NUMBER_COUNTRY = 'countryOfNumbers';

class NodeParameters<Context extends IExecuteFunctions | IPollFunctions> extends FieldReader {
	protected readonly kind = 'optional';
	/** What the expressions returned: each is evaluated once, because it may return another value the next time. */
	private readonly values = new Map<string, unknown>();

	constructor(
		readonly n8n: Context,
		/** The input item. A trigger has none. */
		readonly itemIndex: number,
		protected readonly properties: INodeProperties[],
		/** Shared by all items of a run. */
		protected readonly saved: SavedParameters,
	) {
		super();
	}

	/**
	 * A contact's WhatsApp ID from a resource locator. One that was picked from the list stays as the service returned
	 * it. Or the contact's own ID, whose address has to be looked up.
	 */
	requiredRecipient(name: string): string {
		const { mode, value: id } = this.choice(name, 'required');
		if (customerId(id).kind === 'contactId') return id;
		const isPicked = mode === 'list' && readWhatsAppId(id).value !== undefined;
		return isPicked ? id : this.whatsAppAddress(name, 'required');
	}

	/** From the option Country of Numbers: every operation that reads numbers of its parameters has it. */
	override get numberCountry(): NumberCountry {
		return this.collection('options').one(NUMBER_COUNTRY, readCountry, 'mayBeEmpty') ?? 'unknown';
	}

	/** The value of a resource locator as the user chose it; undefined for none, and for an expression. */
	chosen(name: string): string | undefined {
		return chosenInEditor(this.saved.raw(name));
	}

	protected read(name: string): unknown {
		if (!this.values.has(name)) this.values.set(name, this.saved.resolve(name, this.itemIndex));
		return this.values.get(name);
	}

	savedValue(name: string): unknown {
		return this.saved.raw(name);
	}

	protected isSet(name: string): boolean {
		return isFilledIn(this.saved.raw(name));
	}

	invalid<M extends string, D extends string>(
		message: Message<M>,
		description: Message<D>,
	): NodeOperationError {
		return invalid(this.n8n.getNode(), message, description);
	}

	protected property(name: string): INodeProperties | undefined {
		return this.properties.find((property) => property.name === name);
	}

	/** A collection of optional fields, e.g. "options". @param kind what its fields are for */
	collection(name: string, kind: OptionalKind = COLLECTION_KINDS[name] ?? 'optional'): Collection {
		const values = this.one(name, readObject) ?? {};
		const properties = (this.property(name)?.options ?? []) as INodeProperties[];
		return new Collection(this, name, { values, saved: this.saved.raw(name), properties }, kind);
	}

	/** The entries of a fixed collection of one kind, e.g. the fields of a form; [] if the user added none. @param kind of their fields */
	groups(name: string, kind?: OptionalKind): Collection[] {
		const values = this.one(name, readObject, kind && 'mayBeEmpty');
		return groupsOf(this, this.property(name), values, this.saved.raw(name), kind);
	}

	/**
	 * The filters of a list, of which the operation reads each. One that the user added must not be empty: the list would
	 * contain what the user wanted to exclude. The option Ignore Empty Filters allows it.
	 */
	filters(): Collection {
		const ignoresEmpty = this.collection('options').boolean('ignoreEmptyFilters') === true;
		return this.collection('filters', ignoresEmpty ? 'mayBeEmpty' : undefined);
	}

	/** Infinity with Return All, else Limit. */
	rowLimit(): number {
		if (this.boolean('returnAll', 'required')) return Infinity;
		const limit = this.number('limit', 'required');
		if (!Number.isInteger(limit) || limit < 1)
			throw this.invalidValue('limit', 'a whole number of 1 or more', limit);
		return limit;
	}
}

/** What a field is set to for an item: its expression reads something of the item, so another item may have another value. */
export interface ItemSetting {
	/** The name of the field, after that of the collection that contains it. */
	name: string;
	/** The name on screen. */
	label: string;
	value: unknown;
}

/** The parameters for one input item. Every reader throws a NodeOperationError for an unusable value. */
export class Parameters extends NodeParameters<IExecuteFunctions> {
	/**
	 * The values of all fields whose expressions read something of the item.
	 *
	 * @param except names of fields to leave out; those in a collection after its name
	 */
	itemSettings(except: readonly string[]): ItemSetting[] {
		const names = [...new Set(this.properties.map(({ name }) => name))];
		return names
			.filter((name) => !except.includes(name))
			.flatMap((name) => this.itemSettingsIn(name))
			.filter(({ name }) => !except.includes(name));
	}

	/** A collection has a value for each of its fields, and so have the variables of a template. */
	private itemSettingsIn(name: string): ItemSetting[] {
		const saved = this.saved.raw(name);
		if (!variesByItem(saved)) return [];
		const { type } = this.property(name) ?? {};
		const label = this.label(name);
		const value = this.raw(name);
		if (type === 'collection' && isRecord(saved) && isRecord(value)) {
			const collection = this.collection(name);
			return Object.keys(value)
				.filter((key) => variesByItem(saved[key]))
				.map((key) => ({
					name: `${name} ${key}`,
					label: collection.label(key),
					value: value[key],
				}));
		}
		if (type === 'resourceMapper' && isRecord(value) && isRecord(value.value)) {
			const variesIn = (key: string): boolean => variesByItem(savedVariable(saved, key));
			return Object.entries(value.value)
				.filter(([key]) => variesIn(key))
				.map(([key, variable]) => ({
					name: `${name} ${key}`,
					label: `The value of "${variableName(value, key)}"`,
					value: variable,
				}));
		}
		return [{ name, label, value }];
	}

	/** A date and time, in the workflow's time zone if it has no offset. */
	requiredMoment(name: string): Moment {
		return this.one(name, readMoment(this.n8n.getTimezone()), 'required');
	}
}

function variableName({ schema }: IDataObject, id: string): string {
	const fields = (Array.isArray(schema) ? schema : []).filter(isRecord);
	return textOf(fields.find((field) => field.id === id)?.displayName) || id;
}

/** The parameters of a trigger, which has no items. */
export class TriggerParameters extends NodeParameters<IPollFunctions> {
	constructor(n8n: IPollFunctions, properties: INodeProperties[]) {
		const { parameters } = n8n.getNode();
		const evaluate = (name: string) => n8n.getNodeParameter(name, null);
		super(n8n, 0, properties, new SavedParameters(parameters, evaluate));
	}
}
