/**
 * The column of a template's CSV with the values of a variable, by its name: how the service names it is undocumented.
 *
 * @param id from `variablesOf`
 * @returns undefined if no column has a usual name
 */
export function columnOf(id: string, columns: readonly string[]): string | undefined {
	const candidates = usualNames(id);
	// The bare name comes last: "phone" may be the recipient's, if there is "body_phone".
	return candidates
		.map((candidate) => columns.find((column) => plainName(column) === candidate))
		.find((column) => column !== undefined);
}

/** "{{1}}", "Body 1" and "body_1" without what differs. */
const plainName = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

function usualNames(id: string): string[] {
	const [part = '', kind = '', name = ''] = id.split(':');
	if (part === 'body') return [`body${plainName(kind)}`, plainName(kind)];
	if (part === 'header' && kind === 'text')
		return [`header${plainName(name)}`, 'headertext', 'header'];
	if (part === 'header') return [`header${kind}`, 'headermedia', 'header'];
	const number = Number(kind) + 1;
	return [`button${number}`, `button${number}${plainName(name)}`];
}
