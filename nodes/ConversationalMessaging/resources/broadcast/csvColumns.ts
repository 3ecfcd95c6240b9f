/**
 * The column of a CSV with the values of a template variable, by its name: how the service names it is undocumented.
 *
 * @param id from `variablesOf`
 * @returns undefined if no column has a usual name
 */
export function columnOf(id: string, columns: readonly string[]): string | undefined {
	const plain = new Map<string, string>();
	for (const column of columns) {
		const name = plainName(column);
		if (!plain.has(name)) plain.set(name, column);
	}
	const name = usualNames(id).find((candidate) => plain.has(candidate));
	return name === undefined ? undefined : plain.get(name);
}

/** The column with this name or, without one, with a name that differs only in case, spaces and signs. */
export function columnNamed(name: string, columns: readonly string[]): string | undefined {
	if (columns.includes(name)) return name;
	const plain = plainName(name);
	return plain === '' ? undefined : columns.find((column) => plainName(column) === plain);
}

/** "{{1}}", "Body 1" and "body_1" without what differs. */
export const plainName = (text: string): string =>
	text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

function usualNames(id: string): string[] {
	const [part = '', kind = '', name = ''] = id.split(':');
	if (part === 'body') {
		const own = plainName(kind);
		// The bare name last: "phone" may be the recipient's, if there is "body_phone".
		const prefixes = [
			'body',
			'variable',
			'var',
			'param',
			'parameter',
			'bodyvariable',
			'bodyparam',
			'',
		];
		return prefixes.map((prefix) => `${prefix}${own}`);
	}
	if (part === 'header' && kind === 'text')
		return [`header${plainName(name)}`, `headertext${plainName(name)}`, 'headertext', 'header'];
	if (part === 'header')
		return [
			`header${kind}`,
			`header${kind}url`,
			'headerurl',
			'headermedia',
			'header',
			`${kind}url`,
		];
	const number = Number(kind) + 1;
	return [
		`button${number}`,
		`button${number}${plainName(name)}`,
		`button${plainName(name)}${number}`,
	];
}
