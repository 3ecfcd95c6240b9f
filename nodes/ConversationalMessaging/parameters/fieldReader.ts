import type { IDataObject, INodeProperties, NodeOperationError } from 'n8n-workflow';
import { isRecord } from '../api/response';
import { readTimeZone } from './dateTime';
import { readWhatsAppId } from './address';
import type { QuietHours } from './quietHours';
import { readQuietHours } from './quietHours';
import type { ReadResult } from './values';
import {
	formatValue,
	isBlank,
	locatorValue,
	readBoolean,
	readId,
	readList,
	readNumber,
	readObject,
	readOption,
	readText,
	readVerbatim,
} from './values';

/** What was chosen in a resource locator: its mode and the value. */
export interface Choice {
	mode: string;
	value: string;
}

type Reader<T> = (value: unknown) => ReadResult<T>;

/**
 * Reads the fields of a node by their names, whatever expressions return for them.
 *
 * An empty field reads as undefined. A value that the field cannot accept, such as a list where one value is
 * expected, is rejected with the field's name on screen, so that nothing is sent that the user did not mean.
 */
export abstract class FieldReader {
	/** The value from n8n; undefined or null if the field is not shown. */
	protected abstract read(name: string): unknown;

	/** The description of a field. */
	protected abstract property(name: string): INodeProperties | undefined;

	/** Whether the user filled in the field, even if an expression there returns nothing. */
	protected abstract isSet(name: string): boolean;

	/** A value that cannot be used, and what to do. */
	abstract invalid(message: string, description: string): NodeOperationError;

	/** The name of a field on screen, without what n8n asks of lists that a method fills. */
	label(name: string): string {
		return (this.property(name)?.displayName ?? name).replace(/ Name or ID$/, '');
	}

	/** The unchanged value; undefined if it is empty. */
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

	/** Text that limits what an operation does: once the user has set it, it must not be empty. */
	textIfSet(name: string): string | undefined {
		return this.filled(name, this.text(name));
	}

	/** Text unchanged, with its spaces and line breaks. */
	verbatim(name: string): string | undefined {
		return this.one(name, readVerbatim);
	}

	requiredVerbatim(name: string): string {
		return this.present(name, this.verbatim(name));
	}

	/** true or false; undefined only if the field is not set. */
	boolean(name: string): boolean | undefined {
		return this.filled(name, this.one(name, readBoolean));
	}

	requiredBoolean(name: string): boolean {
		return this.present(name, this.boolean(name));
	}

	/** A number; undefined only if the field is not set. */
	number(name: string): number | undefined {
		return this.filled(name, this.one(name, readNumber));
	}

	/** A part of every day: "21:00-08:00". */
	quietHours(name: string): QuietHours | undefined {
		return this.filled(name, this.one(name, readQuietHours));
	}

	/** The name of a time zone: "Europe/Berlin". */
	timeZone(name: string): string | undefined {
		return this.filled(name, this.one(name, readTimeZone));
	}

	/** A whole number of 0 or more; undefined only if the field is not set. */
	count(name: string): number | undefined {
		const number = this.number(name);
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

	/** A phone number with country code, or a user ID, from a text field or a resource locator. */
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

	/** The chosen ID of a resource locator. */
	id(name: string): string | undefined {
		return this.one(name, readId);
	}

	requiredId(name: string): string {
		return this.present(name, this.id(name));
	}

	/** An ID that limits what an operation acts on: once the user has set it, it must not be empty. */
	idIfSet(name: string): string | undefined {
		return this.isSet(name) ? this.requiredId(name) : undefined;
	}

	/** The IDs of a resource locator: its single choice, or the list that an expression returns; never []. */
	requiredIds(name: string): string[] {
		const value = this.unwrapped(name);
		// An AI agent writes a list as JSON text. No ID begins like one.
		const isList = Array.isArray(value) || (typeof value === 'string' && /^\s*\[/.test(value));
		if (!isList) return [this.requiredId(name)];
		return this.each(name, this.accept(name, readList(value), value), readId);
	}

	/** A list, or a list as JSON text; undefined if it has no entries. */
	list(name: string): unknown[] | undefined {
		const list = this.filled(name, this.one(name, readList));
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
		if (texts.length === 0 && this.isSet(name)) throw this.empty(name);
		return texts;
	}

	/** An object, or an object as JSON text. */
	object(name: string): IDataObject {
		return this.present(name, this.one(name, readObject));
	}

	/** Text or an object, for a field whose values are undocumented. */
	textOrObject(name: string): string | IDataObject | undefined {
		const value = this.raw(name);
		return isRecord(value) ? this.accept(name, readObject(value), value) : this.text(name);
	}

	/** The error for a value that the operation cannot use. */
	invalidValue(name: string, expected: string, value: unknown): NodeOperationError {
		return this.invalid(
			`${this.label(name)} expects ${expected}, but got ${formatValue(value)}`,
			'Check the value, or the expression that returns it.',
		);
	}

	protected empty(name: string): NodeOperationError {
		const isPicked = this.property(name)?.type === 'resourceLocator';
		const step = isPicked ? 'Pick one from the list, enter its ID' : 'Enter a value';
		const text = this.isOptional
			? `${step}, check the expression, or remove this option.`
			: `${step}, or check the expression.`;
		return this.invalid(`${this.label(name)} is empty`, text);
	}

	/** Whether the user added the fields one by one, and can remove them. */
	protected readonly isOptional: boolean = false;

	/** Reads the value of a field. */
	protected one<T>(name: string, reader: Reader<T>): T | undefined {
		const value = this.unwrapped(name);
		return isBlank(value) ? undefined : this.accept(name, reader(value), value);
	}

	/** The unchanged value; for a resource locator, the value in it. */
	protected unwrapped(name: string): unknown {
		const value = this.read(name);
		return this.property(name)?.type === 'resourceLocator' ? locatorValue(value) : value;
	}

	private each<T>(name: string, values: unknown[], reader: Reader<T>): T[] {
		if (values.length === 0) throw this.empty(name);
		return values.map((value) => {
			if (isBlank(value)) throw this.invalidValue(name, 'a list without empty entries', values);
			return this.accept(name, reader(value), value);
		});
	}

	private accept<T>(name: string, reading: ReadResult<T>, value: unknown): T {
		if (reading.expected !== undefined) throw this.invalidValue(name, reading.expected, value);
		return reading.value;
	}

	/** For fields where a missing value would mean something other than what the user set. */
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
