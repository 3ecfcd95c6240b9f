import type { IExecuteFunctions, INodeParameters } from 'n8n-workflow';
import { isRecord } from '../api/response/response';
import { isBlank, locatorValue } from './values';

/**
 * The parameters of a node as they were saved, and what n8n makes of them.
 *
 * A parameter without an expression is the same for every item: n8n resolves it once, not once per item.
 */
export class SavedParameters {
	/** The values of parameters without an expression. */
	private readonly fixed = new Map<string, unknown>();

	/** @param evaluate what n8n has for a parameter and an item; with null as the fallback, without which n8n throws if one is missing */
	constructor(
		private readonly saved: INodeParameters,
		private readonly evaluate: (name: string, itemIndex: number) => unknown,
	) {}

	/** Those of an action node, to be shared by all items of a run: n8n copies the whole node to tell them. */
	static ofAction(n8n: IExecuteFunctions): SavedParameters {
		return new SavedParameters(n8n.getNode().parameters, (name, itemIndex) =>
			n8n.getNodeParameter(name, itemIndex, null),
		);
	}

	/** As it was saved, with its expression. */
	raw(name: string): unknown {
		return this.saved[name];
	}

	/** What n8n has for a parameter and an item; null if the parameter is missing. */
	resolve(name: string, itemIndex: number): unknown {
		if (this.fixed.has(name)) return this.fixed.get(name);
		const value = this.evaluate(name, itemIndex);
		if (!hasExpression(this.saved[name])) this.fixed.set(name, value);
		return value;
	}
}

/** Whether a saved value has an expression: n8n evaluates texts that begin with "=", however deep they are inside a value. */
export function hasExpression(value: unknown): boolean {
	if (typeof value === 'string') return value.startsWith('=');
	if (Array.isArray(value)) return value.some(hasExpression);
	return isRecord(value) && Object.values(value).some(hasExpression);
}

/** Whether a saved parameter differs from its empty default. */
export function isFilledIn(saved: unknown): boolean {
	const value = locatorValue(saved);
	return !isBlank(value) && !(Array.isArray(value) && value.length === 0);
}

/** Whether an AI agent's model defines a saved value, also that of a resource locator: with n8n's `$fromAI()`. */
export function isFromModel(saved: unknown): boolean {
	const value = locatorValue(saved);
	return typeof value === 'string' && hasExpression(value) && /\$fromai\b/i.test(value);
}

/** The saved value of a variable in a resource mapper, or the expression that replaces all of them. */
export function savedVariable(saved: unknown, id: string): unknown {
	const values: unknown = isRecord(saved) ? saved.value : saved;
	return isRecord(values) ? values[id] : values;
}

/**
 * What an expression may name that is the same for all items, but for the time that passes while they are read: `$now`,
 * `$vars.name`, `$('Settings').first()`.
 */
const COMMON =
	/\$(?:now|today|workflow|execution|vars|env)\b|\$(?:input|\((?:'[^']*'|"[^"]*"|`[^`]*`)\))\s*\.(?:first|last|all)\(/g;

/** Everything else of n8n that an expression may name: `$json`, `$('Customers').item`. */
const OF_ITEM = /\$[a-z_(]/i;

/** Whether a saved value has an expression that may return something else for each item: `$json.name`, not `$now`. */
export function variesByItem(value: unknown): boolean {
	if (typeof value === 'string') {
		const code = value.startsWith('=') ? (value.match(/\{\{[\s\S]*?(?:\}\}|$)/g) ?? []) : [];
		return code.some((text) => OF_ITEM.test(text.replace(COMMON, '')));
	}
	if (Array.isArray(value)) return value.some(variesByItem);
	return isRecord(value) && Object.values(value).some(variesByItem);
}
