/**
 * A phone number without the spaces, dots, dashes and brackets that people write into it. Anything else is left as
 * it is, for the service to judge.
 */
export function phone(text: string | undefined): string | undefined {
	if (text === undefined || !/^\+?[\d\s().\-/\u2010-\u2015]+$/.test(text)) return text;
	return text.replace(/[^\d+]/g, '');
}
