/** The texts under these keys in a description, a credential or a workflow, however deep. */
export function textsIn(value: unknown, keys: readonly string[]): string[] {
	if (Array.isArray(value)) return value.flatMap((each) => textsIn(each, keys));
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
		typeof inner === 'string' ? (keys.includes(key) ? [inner] : []) : textsIn(inner, keys),
	);
}
