import type { IDataObject, IExecuteFunctions, INodeProperties, IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { isRecord } from '../api/response';
import type { Moment } from './dateTime';
import { readMoment } from './dateTime';
import { readWhatsAppId } from './phone';
import type { ReadResult } from './values';
import {
	isBlank,
	readBoolean,
	readId,
	readList,
	readNumber,
	readObject,
	readOption,
	readText,
	readVerbatim,
	formatValue,
} from './values';

/** What a resource locator chose: which of its modes, and the value. */
export interface Choice {
	mode: string;
	value: string;
}

type Reader<T> = (value: unknown) => ReadResult<T>;

/**
 * Fields of a node by their names, whatever expressions yield for them.
 *
 * A field that is empty reads as undefined. A value that the field cannot take, such as a list where one value is
 * expected, is refused with the field's name on screen: nothing is sent in another meaning than the user's.
 */
export abstract class Fields {
	/** The value as n8n has it; undefined or null when the field is not shown. */
	protected abstract read(name: string): unknown;

	/** The description of a field. */
	protected abstract property(name: string): INodeProperties | undefined;

	/** Whether a user put something into the field, even if that yields nothing. */
	protected abstract isSet(name: string): boolean;

	/** A value that cannot be used, and what to do. */
	abstract invalid(message: string, description: string): NodeOperationError;

	/** The name of a field on screen. */
	label(name: string): string {
		return this.property(name)?.displayName ?? name;
	}

	/** As it is; undefined when it is empty. */
	raw(name: string): unknown {
		const value = this.read(name);
		return isBlank(value) ? undefined : value;
	}

	/** Text without spaces around it; numbers become text. */
	text(name: string): string | undefined {
		return this.one(name, readText);
	}

	required(name: string): string {
		return this.present(name, this.text(name));
	}

	/** Text exactly as it was written, with its spaces and line breaks. */
	verbatim(name: string): string | undefined {
		return this.one(name, readVerbatim);
	}

	requiredVerbatim(name: string): string {
		return this.present(name, this.verbatim(name));
	}

	/** true or false; undefined only where the field is not there. */
	boolean(name: string): boolean | undefined {
		return this.filled(name, this.one(name, readBoolean));
	}

	requiredBoolean(name: string): boolean {
		return this.present(name, this.boolean(name));
	}

	/** A number; undefined only where the field is not there. */
	number(name: string): number | undefined {
		return this.filled(name, this.one(name, readNumber));
	}

	/** One of the values that the field's list offers. */
	option(name: string): string | undefined {
		return this.one(name, readOption(this.optionValues(name)));
	}

	requiredOption(name: string): string {
		return this.present(name, this.option(name));
	}

	/** Several of the values that the field's list offers, or any texts where it has no list; as `texts` else. */
	options(name: string): string[] {
		const values = this.optionValues(name);
		const reader = values.length > 0 ? readOption(values) : readText;
		return this.texts(name).map((text) => this.accept(name, reader(text), text));
	}

	/** A phone number with country code, of a text field or a resource locator. */
	whatsAppId(name: string): string | undefined {
		return this.one(name, readWhatsAppId);
	}

	requiredWhatsAppId(name: string): string {
		return this.present(name, this.whatsAppId(name));
	}

	/** The choice of a resource locator. Plain text counts as an ID. */
	choice(name: string): Choice | undefined {
		const value = this.one(name, readId);
		if (value === undefined) return undefined;
		const locator = this.read(name);
		const mode = isRecord(locator) && typeof locator.mode === 'string' ? locator.mode : 'id';
		return { mode, value };
	}

	requiredChoice(name: string): Choice {
		return this.present(name, this.choice(name));
	}

	/** The chosen ID of a resource locator. */
	id(name: string): string | undefined {
		return this.one(name, readId);
	}

	requiredId(name: string): string {
		return this.present(name, this.id(name));
	}

	/** An ID that narrows what an operation acts on: once a user has set it, it must not be empty. */
	idIfSet(name: string): string | undefined {
		return this.isSet(name) ? this.requiredId(name) : undefined;
	}

	/** The IDs of a resource locator: its one choice, or the list that an expression yields; never []. */
	requiredIds(name: string): string[] {
		const value = this.unwrapped(name);
		return Array.isArray(value) ? this.each(name, value, readId) : [this.requiredId(name)];
	}

	/** A list, as it is or as JSON text; undefined when it has no entries. */
	list(name: string): unknown[] | undefined {
		const list = this.filled(name, this.one(name, readList));
		return list && list.length > 0 ? list : undefined;
	}

	/**
	 * The texts of a list, or of one text with commas between them; [] when it was left empty. An expression that yields
	 * nothing is refused: an empty selection often means everything.
	 */
	texts(name: string): string[] {
		const value = this.raw(name);
		if (Array.isArray(value) && value.length > 0) return this.each(name, value, readText);
		const parts = Array.isArray(value) ? [] : (this.text(name) ?? '').split(',');
		const texts = parts.map((part) => part.trim()).filter((part) => part !== '');
		if (texts.length === 0 && this.isSet(name)) throw this.empty(name);
		return texts;
	}

	/** An object, as it is or as JSON text. */
	object(name: string): IDataObject {
		return this.present(name, this.one(name, readObject));
	}

	/** Text or an object, for a field whose values are undocumented. */
	textOrObject(name: string): string | IDataObject | undefined {
		const value = this.raw(name);
		return isRecord(value) ? this.accept(name, readObject(value), value) : this.text(name);
	}

	/** A value of this field that an operation found unusable, as such. */
	refuse(name: string, expected: string, value: unknown): NodeOperationError {
		return this.invalid(
			`${this.label(name)} expects ${expected}, but got ${formatValue(value)}`,
			'Check the value, or the expression that returns it.',
		);
	}

	protected empty(name: string): NodeOperationError {
		const isPicked = this.property(name)?.type === 'resourceLocator';
		return this.invalid(
			`${this.label(name)} is empty`,
			isPicked
				? 'Pick one from the list, enter its ID, or check the expression.'
				: 'Enter a value, or check the expression.',
		);
	}

	/** What one value of a field comes out as. */
	protected one<T>(name: string, reader: Reader<T>): T | undefined {
		const value = this.unwrapped(name);
		return isBlank(value) ? undefined : this.accept(name, reader(value), value);
	}

	/** As it is; of a resource locator its value. */
	protected unwrapped(name: string): unknown {
		const value = this.read(name);
		return this.property(name)?.type === 'resourceLocator' ? locatorValue(value) : value;
	}

	private each<T>(name: string, values: unknown[], reader: Reader<T>): T[] {
		if (values.length === 0) throw this.empty(name);
		return values.map((value) => {
			if (isBlank(value)) throw this.refuse(name, 'a list without empty entries', values);
			return this.accept(name, reader(value), value);
		});
	}

	private accept<T>(name: string, reading: ReadResult<T>, value: unknown): T {
		if (reading.expected !== undefined) throw this.refuse(name, reading.expected, value);
		return reading.value;
	}

	/** For values where none would mean something else than what the user has set. */
	private filled<T>(name: string, value: T | undefined): T | undefined {
		return this.isSet(name) ? this.present(name, value) : value;
	}

	protected present<T>(name: string, value: T | undefined): T {
		if (value === undefined) throw this.empty(name);
		return value;
	}

	private optionValues(name: string): string[] {
		const options = (this.property(name)?.options ?? []) as { value?: unknown }[];
		return options.map(({ value }) => String(value));
	}
}

/** The parameters of a node. */
abstract class NodeParameters extends Fields {
	constructor(
		/** The fields that the parameters belong to. */
		private readonly properties: INodeProperties[],
	) {
		super();
	}

	protected property(name: string): INodeProperties | undefined {
		return this.properties.find((property) => property.name === name);
	}

	/** A collection of optional fields, e.g. "options". */
	collection(name: string): Collection {
		const values = this.raw(name);
		const properties = (this.property(name)?.options ?? []) as INodeProperties[];
		return new Collection(this, isRecord(values) ? values : {}, properties);
	}

	/**
	 * The filters of a list. One that a user added must not be empty: the list would hold what the user excluded. The
	 * option Ignore Empty Filters allows it.
	 */
	filters(): Collection {
		const filters = this.collection('filters');
		if (this.collection('options').boolean('ignoreEmptyFilters') === true) return filters;
		return filters.withoutEmpty();
	}

	/** 'all' with Return All, else Limit. */
	rowLimit(): number | 'all' {
		if (this.requiredBoolean('returnAll')) return 'all';
		const limit = this.number('limit');
		if (limit === undefined) throw this.empty('limit');
		if (!Number.isInteger(limit) || limit < 1)
			throw this.refuse('limit', 'a whole number of 1 or more', limit);
		return limit;
	}
}

/** The parameters for one input item. Every reader throws a NodeOperationError for a value that cannot be used. */
export class Parameters extends NodeParameters {
	constructor(
		readonly context: IExecuteFunctions,
		readonly itemIndex: number,
		properties: INodeProperties[],
	) {
		super(properties);
	}

	protected read(name: string): unknown {
		// With null as fallback: n8n throws when a parameter is missing and there is none.
		return this.context.getNodeParameter(name, this.itemIndex, null);
	}

	protected isSet(name: string): boolean {
		return isFilledIn(this.context.getNode().parameters[name]);
	}

	/** A date and time, read in the time zone of the workflow when it has no offset. */
	requiredMoment(name: string): Moment {
		return this.present(name, this.one(name, readMoment(this.context.getTimezone())));
	}

	invalid(message: string, description: string): NodeOperationError {
		return new NodeOperationError(this.context.getNode(), message, {
			description,
			itemIndex: this.itemIndex,
		});
	}
}

/** The parameters of a trigger, which has no items. */
export class TriggerParameters extends NodeParameters {
	constructor(
		private readonly context: IPollFunctions,
		properties: INodeProperties[],
	) {
		super(properties);
	}

	protected read(name: string): unknown {
		return this.context.getNodeParameter(name, null);
	}

	protected isSet(name: string): boolean {
		return isFilledIn(this.context.getNode().parameters[name]);
	}

	invalid(message: string, description: string): NodeOperationError {
		return new NodeOperationError(this.context.getNode(), message, { description });
	}
}

/** The fields of a collection that a user added. */
export class Collection extends Fields {
	constructor(
		private readonly owner: Fields,
		private readonly values: IDataObject,
		private readonly properties: INodeProperties[],
	) {
		super();
	}

	protected read(name: string): unknown {
		return this.isSet(name) ? this.values[name] : undefined;
	}

	/** Refuses a field that was added, but has no value. */
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

/** The value of a resource locator. Older workflows and agents give it bare. */
function locatorValue(locator: unknown): unknown {
	return isRecord(locator) && 'value' in locator ? locator.value : locator;
}

/** What is chosen in a resource locator of the editor; undefined for nothing, and for an expression. */
export function chosenInEditor(locator: unknown): string | undefined {
	const value = locatorValue(locator);
	const id = isBlank(value) ? undefined : readId(value).value;
	// An expression has no value yet while the workflow is edited.
	return id?.startsWith('=') ? undefined : id;
}

/** Whether a saved parameter holds something other than its empty default. */
function isFilledIn(saved: unknown): boolean {
	const value = locatorValue(saved);
	return !isBlank(value) && !(Array.isArray(value) && value.length === 0);
}

/** The values that are there: nothing is sent that a user has not filled in. */
export function withoutUndefined(values: Record<string, unknown>): IDataObject {
	return Object.fromEntries(
		Object.entries(values).filter(([, value]) => value !== undefined),
	) as IDataObject;
}
