import { isFromModel } from './savedParameters';
import { isBlank, readObject } from './values';

/** Why a field has no value. */
export type Absence =
	/** The user has not filled it in, or not added it. */
	| 'notSet'
	/** An expression returned undefined: the item has no such field. */
	| 'missing'
	/** An expression returned null, empty text, or something else of `IS_EMPTY`. */
	| 'empty'
	/** An AI agent's model is to define it (`$fromAI()`), and does not. */
	| 'leftOutByModel';

/** What a field without a value means: the item fails; the same as if the field was not set; empty text is sent. */
type Meaning = 'rejected' | 'left out' | 'cleared';

const row = <M extends Meaning>(notSet: M, missing: M, empty: M, leftOutByModel: M) =>
	({ notSet, missing, empty, leftOutByModel }) satisfies Record<Absence, Meaning>;

/** What a field without a value means, by what the field is for. docs/USAGE.md has this table. */
export const WITHOUT_VALUE = {
	/** The operation needs it. */
	required: row('rejected', 'rejected', 'rejected', 'rejected'),
	/** Whoever sets it means something: otherwise, a message would have no agent, or a ticket no contact. */
	optional: row('left out', 'rejected', 'rejected', 'left out'),
	/** It limits what the operation does or returns, so not even a model may leave it out. */
	limit: row('left out', 'rejected', 'rejected', 'rejected'),
	/** It says nothing by being empty: a cell of a row, a field of an update, a caption. */
	mayBeEmpty: row('left out', 'left out', 'left out', 'left out'),
	/** A cell of a row that clears what the contact has. */
	clearing: row('left out', 'left out', 'cleared', 'left out'),
};

/** What a field is for. */
export type FieldKind = keyof typeof WITHOUT_VALUE;

/** The same of a field that may be left out. */
export type OptionalKind = Exclude<FieldKind, 'required'>;

/** What the fields of a collection are for, unless the operation names something else; those of others are optional. */
export const COLLECTION_KINDS: Record<string, OptionalKind> = {
	filters: 'limit',
	updateFields: 'mayBeEmpty',
};

/** What counts as empty, by what a field accepts. */
export const IS_EMPTY = {
	value: isBlank,
	/** Expressions and AI agents also write null and undefined as text where they have no ID. */
	id: (value: unknown): boolean =>
		isBlank(value) || (typeof value === 'string' && /^(?:null|undefined)$/i.test(value.trim())),
	/** One without entries, also as text with only commas, and as JSON text. */
	list: (value: unknown): boolean =>
		isBlank(value) ||
		(Array.isArray(value) && value.length === 0) ||
		(typeof value === 'string' && /^(?:[\s,]*|\s*\[\s*\]\s*)$/.test(value)),
	/** A cell may have one value, or a list of values, of which at least one is to be something. */
	cell: (value: unknown): boolean =>
		isBlank(value) || (Array.isArray(value) && value.every(isBlank)),
	/** One without fields, also as JSON text. */
	object(value: unknown): boolean {
		if (isBlank(value)) return true;
		// A Map has no fields either.
		const object = readObject(value).value;
		return object !== undefined && Object.keys(object).length === 0;
	},
};

/** What a field accepts. */
export type Accepted = keyof typeof IS_EMPTY;

/**
 * Whether a field has no value. n8n requires a model to give a value for each field: a model that has none writes null as text.
 *
 * @param saved as it was saved, with its expression
 */
export const hasNoValue = (accepted: Accepted, value: unknown, saved: unknown): boolean =>
	IS_EMPTY[accepted](value) || (IS_EMPTY.id(value) && isFromModel(saved));
