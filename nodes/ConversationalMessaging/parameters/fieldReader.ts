import type { IDataObject, INodeProperties, NodeOperationError } from 'n8n-workflow';
import { type Message, shown } from '../api/access/shown';
import { isRecord } from '../api/response/response';
import { splitNumbers } from '../phone/readPhoneNumber';
import { type NumberCountry, readContactId, readWhatsAppId } from './customer';
import {
	type Absence,
	type Accepted,
	type FieldKind,
	type OptionalKind,
	IS_EMPTY,
	WITHOUT_VALUE,
	hasNoValue,
} from './emptyValues';
import { hasExpression, isFromModel } from './savedParameters';
import {
	type ReadResult,
	formatValue,
	isBlank,
	locatorValue,
	noTextIn,
	readBoolean,
	readId,
	readListedId,
	readExactRecords,
	readExactObject,
	readKey,
	readList,
	readNumber,
	readOption,
	readText,
	readVerbatim,
} from './values';

interface Choice {
	mode: string;
	value: string;
}

type Reader<T> = (value: unknown) => ReadResult<T>;

/** What is between several IDs, or choices, in one text: a comma, a semicolon, a line break, or one of the two before a line break. */
const SEPARATOR = /(?:[,;][ \t]*)?(?:\r\n|[\r\n])|[,;]/;

/** What a field of this kind reads as: one that is required has a value. */
type Value<T, K extends FieldKind> = K extends 'required' ? T : T | undefined;

/**
 * Reads the fields of a node by their names, whatever expressions return for them.
 *
 * A field that is left out reads as undefined. What is empty, and whether that is left out or rejected, is in
 * `emptyValues.ts`. A value that the field cannot accept, such as a list where one value is expected, is rejected, too: the
 * message has the field's name on screen, and nothing is sent that the user did not mean.
 */
export abstract class FieldReader {
	/** The value from n8n; undefined or null if the field is not shown. */
	protected abstract read(name: string): unknown;

	protected abstract property(name: string): INodeProperties | undefined;

	/** The value as the user saved it, with its expression. */
	abstract savedValue(name: string): unknown;

	/** Whether the user filled in the field, even if an expression there returns nothing. */
	protected abstract isSet(name: string): boolean;

	/** What the fields are for, unless a reader is told otherwise. */
	protected abstract readonly kind: OptionalKind;

	abstract invalid<M extends string, D extends string>(
		message: Message<M>,
		description: Message<D>,
	): NodeOperationError;

	/** The name of a field on screen. */
	label(name: string): string {
		return this.property(name)?.displayName ?? name;
	}

	/** The unchanged value; undefined if it is empty. */
	raw(name: string): unknown {
		const value = this.read(name);
		return isBlank(value) ? undefined : value;
	}

	/** Text without spaces around it; numbers become text. */
	text<K extends FieldKind = OptionalKind>(name: string, kind?: K): Value<string, K> {
		return this.one(name, readText, kind);
	}

	/** Text that identifies something. As in an ID, null and undefined as text are nothing: all items without a value would share it. */
	key<K extends FieldKind = OptionalKind>(name: string, kind?: K): Value<string, K> {
		return this.one(name, readKey, kind, 'id');
	}

	/** A cell of a row as it is; '' if it clears what the contact has. */
	cell(name: string): unknown {
		return this.one<unknown>(name, (value) => ({ value }), undefined, 'cell');
	}

	/**
	 * A text that is sent to customers.
	 *
	 * @param label what it is, for the message
	 * @throws NodeOperationError if something in it is no text
	 */
	readable(label: string, text: string): string {
		const noText = noTextIn(text);
		if (!noText) return text;
		throw this.invalid(shown`${label} contains ${noText.found}`, noText.step);
	}

	/**
	 * The same, of limited length. It is counted in characters, as the messaging platform does.
	 *
	 * @throws NodeOperationError also if the platform does not accept that many
	 */
	within(max: number, label: string, text: string): string {
		// Characters are no more than code units, so short texts need no count.
		const length = text.length > max ? Array.from(text).length : 0;
		if (length <= max) return this.readable(label, text);
		throw this.invalid(
			shown`${label} has ${length} characters`,
			shown`Shorten it: the messaging platform accepts at most ${max}.`,
		);
	}

	/** Text unchanged, with its spaces and line breaks. */
	verbatim<K extends FieldKind = OptionalKind>(name: string, kind?: K): Value<string, K> {
		return this.one(name, readVerbatim, kind);
	}

	boolean<K extends FieldKind = OptionalKind>(name: string, kind?: K): Value<boolean, K> {
		return this.one(name, readBoolean, kind);
	}

	number<K extends FieldKind = OptionalKind>(name: string, kind?: K): Value<number, K> {
		return this.one(name, readNumber, kind);
	}

	/** A whole number of 0 or more. */
	count(name: string): number | undefined {
		const number = this.number(name);
		if (number === undefined || (Number.isSafeInteger(number) && number >= 0)) return number;
		throw this.invalidValue(name, 'a whole number of 0 or more', number);
	}

	/** One of the values that the field's list offers. */
	option<K extends FieldKind = OptionalKind>(name: string, kind?: K): Value<string, K> {
		return this.one(name, readOption(this.optionValues(name)), kind);
	}

	/**
	 * Several of the values that the field's list offers, or any texts if it has no list; otherwise like `texts`. They may be
	 * separated as IDs are: "paused; disabled" as one status would match nothing, and nobody would notice.
	 */
	options(name: string): string[] {
		const values = this.optionValues(name);
		const reader = values.length > 0 ? readOption(values) : readText;
		return this.texts(name, SEPARATOR).map((text) => this.accept(name, reader(text), text));
	}

	/** One of the values that the field's list offers, or what the service may accept besides: another text, or an object. */
	optionOrOther(name: string): string | IDataObject | undefined {
		if (isRecord(this.read(name))) return this.one(name, readExactObject, this.kind, 'object');
		const text = this.text(name);
		return text && (readOption(this.optionValues(name))(text).value ?? text);
	}

	/** Where numbers without a country code are from; undefined if the user cannot say. */
	get numberCountry(): NumberCountry | undefined {
		return undefined;
	}

	/** The digits of a phone number, or a user ID, from a text field or a resource locator. */
	whatsAppAddress<K extends FieldKind = OptionalKind>(name: string, kind?: K): Value<string, K> {
		return this.one(name, this.readAddress, kind, 'id');
	}

	private readonly readAddress = (value: unknown): ReadResult<string> =>
		readWhatsAppId(value, this.numberCountry);

	/**
	 * Several of them: a list from an expression, or text with commas, semicolons or line breaks between them, where there may be
	 * nothing between two of these; never [].
	 */
	requiredWhatsAppAddresses(name: string): string[] {
		const value = this.raw(name);
		const entries: unknown[] =
			typeof value === 'string' ? splitNumbers(value) : [value ?? []].flat();
		return this.each(name, entries, this.readAddress, 'id');
	}

	/**
	 * The choice of a resource locator. Plain text counts as an ID, and so does what an expression returns that has replaced a
	 * record from the list: n8n keeps the mode.
	 */
	choice<K extends FieldKind = OptionalKind>(name: string, kind?: K): Value<Choice, K> {
		const value = this.id(name, kind);
		return value && { mode: this.modeOf(name), value };
	}

	private modeOf(name: string): string {
		const locator = this.read(name);
		const mode = isRecord(locator) && typeof locator.mode === 'string' ? locator.mode : 'id';
		return mode === 'list' && hasExpression(locatorValue(this.savedValue(name))) ? 'id' : mode;
	}

	/** The chosen ID of a resource locator. */
	id<K extends FieldKind = OptionalKind>(name: string, kind?: K): Value<string, K> {
		return this.one(name, readId, kind, 'id');
	}

	/**
	 * The IDs of a resource locator: its single choice, or those that an expression returns, as a list, as the JSON text of
	 * one, or as text with separators between them; never [].
	 */
	requiredIds(name: string, reader: Reader<string> = readId): string[] {
		const value = this.unwrapped(name);
		const isText = typeof value === 'string';
		if (Array.isArray(value) || (isText && /^\s*\[/.test(value)))
			return this.each(name, this.accept(name, readList(value), value), reader, 'id');
		if (!isText || IS_EMPTY.id(value)) return [this.one(name, reader, 'required', 'id')];
		// Of "a," and a line without an ID, an expression may have returned nothing for the other.
		return this.each(name, value.split(SEPARATOR), reader, 'id');
	}

	/** The ID of a contact from a resource locator, where the service accepts no other. One from the list is used as it is. */
	contactId<K extends FieldKind = OptionalKind>(name: string, kind?: K): Value<string, K> {
		return this.one(name, this.readerOf(name, readContactId), kind, 'id');
	}

	/** The IDs of contacts from a resource locator, like `requiredIds`. */
	requiredContactIds(name: string): string[] {
		return this.requiredIds(name, this.readerOf(name, readContactId));
	}

	/** The ID of a record to filter by. One from the list is used as it is. */
	listedId(name: string): string | undefined {
		return this.one(name, this.readerOf(name, readListedId), undefined, 'id');
	}

	private readerOf(name: string, reader: Reader<string>): Reader<string> {
		return this.modeOf(name) === 'list' ? readId : reader;
	}

	/** A list of objects, or such a list as JSON text; undefined if it has no entries. */
	records(name: string): IDataObject[] | undefined {
		const list = this.one(name, readExactRecords);
		return list && list.length > 0 ? list : undefined;
	}

	/**
	 * The texts of a list, of the JSON text of one, or of one text separated by commas; [] if the field was left empty. An
	 * expression that returns nothing is rejected, because an empty selection often means everything.
	 */
	texts(name: string, separator: RegExp | string = ','): string[] {
		const value = this.read(name);
		const list = readList(value);
		// What begins as a JSON list of texts was to be one. Choices such as "[1] Yes, [2] No" were not.
		const isList =
			list.value !== undefined || (typeof value === 'string' && /^\s*\[\s*"/.test(value));
		if (isList && !IS_EMPTY.list(value))
			return this.each(name, this.accept(name, list, value), readText, 'value');
		const texts = this.one(name, readText, this.kind, 'list')?.split(separator) ?? [];
		return texts.map((text) => text.trim()).filter((text) => text !== '');
	}

	/** An object, or an object as JSON text; never {}. */
	object<K extends FieldKind = OptionalKind>(name: string, kind?: K): Value<IDataObject, K> {
		return this.one(name, readExactObject, kind, 'object');
	}

	invalidValue(
		name: string,
		expected: string,
		value: unknown,
		because?: string,
	): NodeOperationError {
		const reason = because === undefined ? '' : `: ${because}`;
		return this.invalid(
			shown`${this.label(name)} expects ${expected}, but got ${formatValue(value)}${reason}`,
			'Check the value, or the expression that returns it.',
		);
	}

	protected empty(name: string): NodeOperationError {
		const isPicked = this.property(name)?.type === 'resourceLocator';
		const step = isPicked ? 'Pick or enter one' : 'Enter a value';
		const text = this.isOptional
			? shown`${step}, check the expression, or remove this option.`
			: shown`${step}, or check the expression.`;
		return this.invalid(shown`${this.label(name)} is empty`, text);
	}

	/** Whether the user added the fields one by one, and can remove them. */
	protected readonly isOptional: boolean = false;

	/** Reads the value of a field with any reader. @param accepted what it accepts, which decides on what is empty */
	one<T, K extends FieldKind = OptionalKind>(
		name: string,
		reader: Reader<T>,
		kind?: K,
		accepted: Accepted = 'value',
	): Value<T, K> {
		const value = this.unwrapped(name);
		if (!hasNoValue(accepted, value, this.savedValue(name)))
			return this.accept(name, reader(value), value) as Value<T, K>;
		const meaning = WITHOUT_VALUE[kind ?? this.kind][this.absenceOf(name, value)];
		if (meaning === 'rejected') throw this.empty(name);
		const cleared = meaning === 'cleared' ? this.accept(name, reader(''), '') : undefined;
		return cleared as Value<T, K>;
	}

	private absenceOf(name: string, value: unknown): Absence {
		if (!this.isSet(name)) return 'notSet';
		if (isFromModel(this.savedValue(name))) return 'leftOutByModel';
		return value === undefined ? 'missing' : 'empty';
	}

	/** The unchanged value; for a resource locator, the value in it. */
	protected unwrapped(name: string): unknown {
		const value = this.read(name);
		return this.property(name)?.type === 'resourceLocator' ? locatorValue(value) : value;
	}

	private each<T>(name: string, values: unknown[], reader: Reader<T>, accepted: Accepted): T[] {
		if (values.length === 0) throw this.empty(name);
		return values.map((value) => {
			if (IS_EMPTY[accepted](value))
				throw this.invalidValue(name, 'a list without empty entries', values);
			return this.accept(name, reader(value), value);
		});
	}

	private accept<T>(name: string, reading: ReadResult<T>, value: unknown): T {
		if (reading.expected !== undefined)
			throw this.invalidValue(name, reading.expected, value, reading.because);
		return reading.value;
	}

	private optionValues(name: string): string[] {
		const options = (this.property(name)?.options ?? []) as { value?: unknown }[];
		return options.map(({ value }) => String(value));
	}
}
