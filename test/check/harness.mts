import { runCheck } from '../../tools/check/check.mts';
import { questions } from '../../tools/check/questions.mts';
import { reportText } from '../../tools/check/report.mts';
import { TOKEN, type Reply, type Route } from '../support/plainService.mts';

/** A response with the service's envelope. */
export const json = (data: unknown, meta?: unknown): Reply => ({
	body: { success: true, data, ...(meta !== undefined && { meta }) },
});

export const always =
	(data: unknown, meta?: unknown): Route =>
	() =>
		json(data, meta);

/** A report, as a user sees it. */
export const check = async (baseUrl: string, token = TOKEN): Promise<string> =>
	reportText(await runCheck(baseUrl, token));

/** What the check finds about one question, place by place. */
export async function found(baseUrl: string, id: string): Promise<string[]> {
	const chosen = questions.filter((question) => question.id === id);
	const { answers } = await runCheck(baseUrl, TOKEN, chosen);
	return answers.flatMap(({ findings }) =>
		findings.map(({ mark, seen }) => `${mark} ${seen.text}`),
	);
}
