import type { IDataObject, IExecuteFunctions, IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { isRecord } from '../api/answer';

/** What a resource locator chose: which of its modes, and the value. */
export interface Choice {
	mode: string;
	value: string;
}

/**
 * The parameters of a node. Whatever an expression yields, a person gets a message that names the field, not an
 * exception from somewhere inside.
 */
abstract class NodeParameters {
	/** As n8n has it; null when the field is not shown. */
	protected abstract read(name: string): unknown;

	/** What is wrong with the parameters, and what to do. */
	abstract invalid(message: string, description: string): NodeOperationError;

	/** As it is: undefined when the field is not shown or was left empty. */
	raw(name: string): unknown {
		const value = this.read(name);
		return value === '' || value === null ? undefined : value;
	}

	/** Text without spaces around it; numbers become text. */
	text(name: string): string | undefined {
		return toText(this.raw(name));
	}

	/** Text exactly as it was written, with its spaces and line breaks. @throws NodeOperationError when it is empty */
	verbatim(name: string, label: string): string {
		this.required(name, label);
		return String(this.raw(name));
	}

	/** @throws NodeOperationError when it is empty; `label` is the field's name on screen */
	required(name: string, label: string): string {
		const value = this.text(name);
		if (value === undefined)
			throw this.invalid(`${label} is empty`, `Fill it in, or check the expression behind it.`);
		return value;
	}

	flag(name: string): boolean | undefined {
		const value = this.raw(name);
		return value === undefined ? undefined : value === true || value === 'true';
	}

	/** A collection of optional fields, e.g. "filters". */
	group(name: string): Group {
		const value = this.raw(name);
		return new Group(isRecord(value) ? value : {}, this);
	}

	/** The choice of a resource locator; undefined when nothing was chosen. A plain text counts as an ID. */
	choice(name: string): Choice | undefined {
		return toChoice(this.raw(name));
	}

	/** @throws NodeOperationError when nothing was chosen */
	requiredChoice(name: string, label: string): Choice {
		const choice = this.choice(name);
		if (!choice)
			throw this.invalid(`${label} is empty`, 'Pick one from the list, or enter its ID.');
		return choice;
	}

	/** The chosen ID. @throws NodeOperationError when nothing was chosen */
	requiredId(name: string, label: string): string {
		return this.requiredChoice(name, label).value;
	}

	/** A list, as it is or as JSON text; undefined when it is empty. @throws NodeOperationError when it is something else */
	list(name: string, label: string): unknown[] | undefined {
		return this.asList(this.raw(name), label);
	}

	asList(value: unknown, label: string): unknown[] | undefined {
		if (value === undefined || value === '') return undefined;
		const list = typeof value === 'string' ? parseJson(value) : value;
		if (!Array.isArray(list)) {
			throw this.invalid(
				`${label} is not a JSON list`,
				'Enter a list in square brackets, e.g. [{ "type": "body", "parameters": [] }].',
			);
		}
		return list.length > 0 ? (list as unknown[]) : undefined;
	}

	/** The IDs of a resource locator: its one choice, or all of the list that an expression yields. */
	ids(name: string): string[] {
		const value = this.raw(name);
		const inner = isRecord(value) && 'value' in value ? value.value : value;
		const list = Array.isArray(inner) ? (inner as unknown[]) : [inner];
		return list.map(toText).filter((id): id is string => id !== undefined);
	}

	/** Texts of a list, or of one text with commas between them. */
	texts(name: string): string[] {
		const value = this.raw(name);
		const list = typeof value === 'string' ? value.split(',') : value;
		return (Array.isArray(list) ? (list as unknown[]) : [list])
			.map(toText)
			.filter((text): text is string => text !== undefined);
	}

	/** An object, as it is or as JSON text. @throws NodeOperationError when it is something else */
	object(name: string, label: string): IDataObject {
		const value = this.raw(name);
		const object = typeof value === 'string' ? parseJson(value) : value;
		if (!isRecord(object))
			throw this.invalid(`${label} is not a JSON object`, 'Enter an object in curly brackets.');
		return object;
	}

	/** 'all' with Return All, else Limit. @throws NodeOperationError when Limit is no positive whole number */
	wanted(): number | 'all' {
		if (this.flag('returnAll')) return 'all';
		const limit = Number(this.raw('limit') ?? 50);
		if (!Number.isInteger(limit) || limit < 1) {
			throw this.invalid(
				'Limit is not a whole number from 1',
				'Enter how many results to return, or switch on Return All.',
			);
		}
		return limit;
	}
}

/** The parameters for one input item. */
export class Parameters extends NodeParameters {
	constructor(
		readonly context: IExecuteFunctions,
		readonly itemIndex: number,
	) {
		super();
	}

	protected read(name: string): unknown {
		// With null as fallback: n8n throws when a parameter is missing and there is none.
		return this.context.getNodeParameter(name, this.itemIndex, null);
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
	constructor(private readonly context: IPollFunctions) {
		super();
	}

	protected read(name: string): unknown {
		return this.context.getNodeParameter(name, null);
	}

	invalid(message: string, description: string): NodeOperationError {
		return new NodeOperationError(this.context.getNode(), message, { description });
	}
}

/** The fields of a collection that a person added. */
export class Group {
	constructor(
		private readonly values: IDataObject,
		private readonly parameters: NodeParameters,
	) {}

	text(name: string): string | undefined {
		return toText(this.values[name]);
	}

	flag(name: string): boolean | undefined {
		const value = this.values[name];
		return value === undefined || value === '' ? undefined : value === true || value === 'true';
	}

	id(name: string): string | undefined {
		return toChoice(this.values[name])?.value;
	}

	/** As it is, e.g. an object from an expression; undefined when it was left empty. */
	any(name: string): unknown {
		const value = this.values[name];
		return value === '' || value === null ? undefined : value;
	}

	list(name: string, label: string): unknown[] | undefined {
		return this.parameters.asList(this.values[name], label);
	}

	isEmpty(): boolean {
		return Object.values(this.values).every((value) => value === undefined || value === '');
	}

	invalid(message: string, description: string): NodeOperationError {
		return this.parameters.invalid(message, description);
	}
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

function toText(value: unknown): string | undefined {
	if (value === undefined || value === null || typeof value === 'object') return undefined;
	const text = String(value).trim();
	return text === '' ? undefined : text;
}

/** What a resource locator holds: its value, or a plain text as older workflows and agents give it. */
export function toChoice(value: unknown): Choice | undefined {
	if (isRecord(value) && 'value' in value) {
		const chosen = toText(value.value);
		return chosen === undefined ? undefined : { mode: String(value.mode ?? 'id'), value: chosen };
	}
	const text = toText(value);
	return text === undefined ? undefined : { mode: 'id', value: text };
}

/** The values that are there: nothing is sent that a person has not filled in. */
export function compact(values: Record<string, unknown>): IDataObject {
	return Object.fromEntries(
		Object.entries(values).filter(([, value]) => value !== undefined),
	) as IDataObject;
}
