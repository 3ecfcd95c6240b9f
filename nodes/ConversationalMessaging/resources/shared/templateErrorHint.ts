/** A template that was typed, by name or in the wrong language, is the usual reason for this rejection. */
export function templateErrorHint(status: number, serviceMessage: string): string | undefined {
	if (status !== 404 && status !== 400 && status !== 422) return undefined;
	const isMissing =
		/\btemplate\b/i.test(serviceMessage) &&
		/not (?:be )?found|not exist|unknown|no (?:such )?template/i.test(serviceMessage);
	return isMissing
		? 'Compare name and language with the dashboard, where each language is a template of its own, or pick the template from the list. For a template that is new in the dashboard, run Template → Sync first.'
		: undefined;
}
