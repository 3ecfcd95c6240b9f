import type { IDataObject, INodeProperties, NodeOperationError } from 'n8n-workflow';
import type { Message } from '../api/access/shown';
import { shown } from '../api/access/shown';
import { isRecord } from '../api/response/response';
import type { CountryCode } from '../phone/libphonenumber';
import { splitNumbers } from '../phone/readPhoneNumber';
import { readTimeZone } from './dateTime';
import type { NumberCountry } from './customer';
import { readContactId, readCountry, readWhatsAppId } from './customer';
import type { QuietHours } from './quietHours';
import { readQuietHours } from './quietHours';
import { hasExpression } from './savedParameters';
import type { ReadResult } from './values';
import {
	formatValue,
	isBlank,
	isNoId,
	locatorValue,
	readBoolean,
	readId,
	readExactRecords,
	readExactObject,
	readList,
	readNumber,
	readOption,
	readText,
	readVerbatim,
	readWebUrl,
} from './values';

/** What was chosen in a resource locator: its mode and the value. */
interface Choice {
	mode: string;
	value: string;
}

type Reader<T> = (value: unknown) => ReadResult<T>;

/**
 * What happens if a field is set, but has no value: it is rejected, or left out as if it were not set. Left out is what
 * a model does not define (`$fromAI()`), and otherwise only what says nothing by being empty, such as a cell of a row.
 */
export type WhenEmpty = 'reject' | 'leaveOut';

/**
 * Reads the fields of a node by their names, whatever expressions return for them.
 *
 * A field that is not set reads as undefined. One that is set and has no value is rejected (`WhenEmpty`), and so is a
 * value that the field cannot accept, such as a list where one value is expected: the message has the field's name on
 * screen, and nothing is sent that the user did not mean.
 */
export abstract class FieldReader {
	/** The value from n8n; undefined or null if the field is not shown. */
	protected abstract read(name: string): unknown;

	/** The description of a field. */
	protected abstract property(name: string): INodeProperties | undefined;

	/** The value as the user saved it, with its expression. */
	protected abstract savedValue(name: string): unknown;

	/** Whether the user filled in the field, even if an expression there returns nothing. */
	protected abstract isSet(name: string): boolean;

	/** What happens if this field is set, but has no value. */
	protected abstract whenEmpty(name: string): WhenEmpty;

	/** A value that cannot be used, and what to do. */
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
	text(name: string, whenEmpty?: WhenEmpty): string | undefined {
		return this.one(name, readText, whenEmpty);
	}

	required(name: string): string {
		return this.present(name, this.text(name));
	}

	/**
	 * Text that limits what an operation does: once it is set, not even a model may leave it empty. As in an ID, null and
	 * undefined as text are nothing: all items without a value would share it.
	 */
	textIfSet(name: string): string | undefined {
		return this.one(name, readText, 'reject', isNoId);
	}

	/**
	 * A text that is sent to customers. Lengths are counted in characters, as the messaging platform does.
	 *
	 * @param label what it is, for the message
	 * @throws NodeOperationError if the platform does not accept that many
	 */
	within(max: number, label: string, text: string): string {
		// Characters are no more than code units, so short texts need no count.
		const length = text.length > max ? Array.from(text).length : 0;
		if (length <= max) return text;
		throw this.invalid(
			shown`${label} has ${length} characters`,
			shown`Shorten it: the messaging platform accepts at most ${max}.`,
		);
	}

	/** Text unchanged, with its spaces and line breaks. */
	verbatim(name: string, whenEmpty?: WhenEmpty): string | undefined {
		return this.one(name, readVerbatim, whenEmpty);
	}

	requiredVerbatim(name: string): string {
		return this.present(name, this.verbatim(name));
	}

	/** true or false. */
	boolean(name: string): boolean | undefined {
		return this.one(name, readBoolean);
	}

	requiredBoolean(name: string): boolean {
		return this.present(name, this.boolean(name));
	}

	/** A number. */
	number(name: string): number | undefined {
		return this.one(name, readNumber);
	}

	/** A part of every day: "21:00-08:00". It limits what an operation does, like `textIfSet`. */
	quietHours(name: string): QuietHours | undefined {
		return this.one(name, readQuietHours, 'reject');
	}

	/** The name of a time zone: "Europe/Berlin". It limits what an operation does, like `textIfSet`. */
	timeZone(name: string): string | undefined {
		return this.one(name, readTimeZone, 'reject');
	}

	/** A whole number of 0 or more. It limits what an operation does, like `textIfSet`. */
	count(name: string): number | undefined {
		const number = this.one(name, readNumber, 'reject');
		if (number === undefined || (Number.isSafeInteger(number) && number >= 0)) return number;
		throw this.invalidValue(name, 'a whole number of 0 or more', number);
	}

	/** One of the values that the field's list offers. */
	option(name: string): string | undefined {
		return this.one(name, readOption(this.optionValues(name)));
	}

	requiredOption(name: string): string {
		return this.present(name, this.option(name));
	}

	/** Several of the values that the field's list offers, or any texts if it has no list; otherwise like `texts`. */
	options(name: string): string[] {
		const values = this.optionValues(name);
		const reader = values.length > 0 ? readOption(values) : readText;
		return this.texts(name).map((text) => this.accept(name, reader(text), text));
	}

	/** One of the values that the field's list offers, or what the service may accept besides: another text, or an object. */
	optionOrOther(name: string): string | IDataObject | undefined {
		const value = this.read(name);
		if (isRecord(value) && Object.keys(value).length > 0)
			return this.accept(name, readExactObject(value), value);
		const text = isRecord(value) ? undefined : this.text(name);
		if (text === undefined) {
			this.checkEmpty(name);
			return undefined;
		}
		return readOption(this.optionValues(name))(text).value ?? text;
	}

	/** Where numbers without a country code are from. It is a cell of a row, so an empty one says nothing. */
	country(name: string): CountryCode | undefined {
		return this.one(name, readCountry, 'leaveOut');
	}

	/** Where numbers without a country code are from; undefined if the user cannot say. */
	get numberCountry(): NumberCountry | undefined {
		return undefined;
	}

	/** The digits of a phone number, or a user ID, from a text field or a resource locator. */
	whatsAppAddress(name: string, whenEmpty?: WhenEmpty): string | undefined {
		const reader = (value: unknown) => readWhatsAppId(value, this.numberCountry);
		return this.one(name, reader, whenEmpty, isNoId);
	}

	requiredWhatsAppAddress(name: string): string {
		return this.present(name, this.whatsAppAddress(name));
	}

	/**
	 * Several of them: a list from an expression, or text with commas, semicolons or line breaks between them, where there may be
	 * nothing between two of these; never [].
	 */
	requiredWhatsAppAddresses(name: string): string[] {
		const value = this.raw(name);
		const entries: unknown[] =
			typeof value === 'string' ? splitNumbers(value) : [value ?? []].flat();
		const country = this.numberCountry;
		return this.each(name, entries, (entry) => readWhatsAppId(entry, country));
	}

	/**
	 * The choice of a resource locator. Plain text counts as an ID, and so does what an expression returns that has replaced a
	 * record from the list: n8n keeps the mode.
	 */
	choice(name: string): Choice | undefined {
		const value = this.id(name);
		return value === undefined ? undefined : { mode: this.modeOf(name), value };
	}

	private modeOf(name: string): string {
		const locator = this.read(name);
		const mode = isRecord(locator) && typeof locator.mode === 'string' ? locator.mode : 'id';
		return mode === 'list' && hasExpression(locatorValue(this.savedValue(name))) ? 'id' : mode;
	}

	/** The chosen ID of a resource locator. */
	id(name: string, whenEmpty?: WhenEmpty): string | undefined {
		return this.one(name, readId, whenEmpty, isNoId);
	}

	requiredId(name: string): string {
		return this.present(name, this.id(name));
	}

	/** An ID that limits what an operation acts on: once it is set, not even a model may leave it empty. */
	idIfSet(name: string): string | undefined {
		return this.id(name, 'reject');
	}

	/**
	 * The IDs of a resource locator: its single choice, or those that an expression returns, as a list, as the JSON text of
	 * one, or as text with a comma, a line break or both between them, which no ID contains; never [].
	 */
	requiredIds(name: string): string[] {
		const value = this.unwrapped(name);
		const isText = typeof value === 'string';
		if (Array.isArray(value) || (isText && /^\s*\[/.test(value)))
			return this.each(name, this.accept(name, readList(value), value), readId);
		if (!isText || isNoId(value)) return [this.requiredId(name)];
		// Of "a," and a line without an ID, an expression may have returned nothing for the other.
		return this.each(name, value.split(/(?:[,;][ \t]*)?(?:\r\n|[\r\n])|[,;]/), readId);
	}

	/** The ID of a contact from a resource locator, where the service accepts no other. One from the list is used as it is. */
	contactId(name: string): string | undefined {
		const id = this.id(name);
		return id === undefined ? undefined : this.ownContactId(name, id);
	}

	requiredContactId(name: string): string {
		return this.present(name, this.contactId(name));
	}

	/** The IDs of contacts from a resource locator, like `requiredIds`. */
	requiredContactIds(name: string): string[] {
		return this.requiredIds(name).map((id) => this.ownContactId(name, id));
	}

	private ownContactId(name: string, id: string): string {
		return this.modeOf(name) === 'list' ? id : this.accept(name, readContactId(id), id);
	}

	/** A URL that a service can download from. */
	requiredWebUrl(name: string): string {
		return this.present(name, this.one(name, readWebUrl));
	}

	/** A list of objects, or such a list as JSON text; undefined if it has no entries. */
	records(name: string): IDataObject[] | undefined {
		const list = this.one(name, readExactRecords);
		return list && list.length > 0 ? list : undefined;
	}

	/**
	 * The texts of a list, or of one text separated by commas; [] if the field was left empty. An expression that
	 * returns nothing is rejected, because an empty selection often means everything.
	 */
	texts(name: string): string[] {
		const value = this.raw(name);
		if (Array.isArray(value) && value.length > 0) return this.each(name, value, readText);
		const parts = Array.isArray(value) ? [] : (this.text(name) ?? '').split(',');
		const texts = parts.map((part) => part.trim()).filter((part) => part !== '');
		if (texts.length === 0) this.checkEmpty(name);
		return texts;
	}

	/** An object, or an object as JSON text; never {}. */
	object(name: string): IDataObject {
		const object = this.present(name, this.one(name, readExactObject));
		if (Object.keys(object).length > 0) return object;
		throw this.empty(name);
	}

	/** The same of a row, which may have none. */
	optionalObject(name: string): IDataObject | undefined {
		return this.one(name, readExactObject, 'leaveOut');
	}

	/** The error for a value that the operation cannot use. */
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

	/** Reads the value of a field. */
	protected one<T>(
		name: string,
		reader: Reader<T>,
		whenEmpty?: WhenEmpty,
		isEmpty: (value: unknown) => boolean = isBlank,
	): T | undefined {
		const value = this.unwrapped(name);
		if (!isEmpty(value)) return this.accept(name, reader(value), value);
		this.checkEmpty(name, whenEmpty);
		return undefined;
	}

	/** The unchanged value; for a resource locator, the value in it. */
	protected unwrapped(name: string): unknown {
		const value = this.read(name);
		return this.property(name)?.type === 'resourceLocator' ? locatorValue(value) : value;
	}

	private each<T>(name: string, values: unknown[], reader: Reader<T>): T[] {
		if (values.length === 0) throw this.empty(name);
		return values.map((value) => {
			const isNothing = reader === readId ? isNoId(value) : isBlank(value);
			if (isNothing) throw this.invalidValue(name, 'a list without empty entries', values);
			return this.accept(name, reader(value), value);
		});
	}

	private accept<T>(name: string, reading: ReadResult<T>, value: unknown): T {
		if (reading.expected !== undefined)
			throw this.invalidValue(name, reading.expected, value, reading.because);
		return reading.value;
	}

	/** @throws NodeOperationError if a field without a value is set, unless it may be left out */
	private checkEmpty(name: string, whenEmpty = this.whenEmpty(name)): void {
		if (whenEmpty === 'reject' && this.isSet(name)) throw this.empty(name);
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
