import { questions as all, type Question } from './questions.mts';
import { CheckStopped, Service, Unread, type Finding } from './service.mts';
import { say } from './shown.mts';

export interface CheckResult {
	answers: { question: Question; findings: Finding[] }[];
	/** The number of requests that were sent. */
	requests: number;
}

/**
 * Asks all questions.
 *
 * @param baseUrl without a slash at its end
 * @throws CheckStopped if the service cannot be checked
 */
export async function runCheck(
	baseUrl: string,
	token: string,
	questions: readonly Question[] = all,
): Promise<CheckResult> {
	const service = new Service(baseUrl, token);
	const organization = await service.read('GET /organization').catch(findingOf);
	if (organization instanceof Unread && organization.mark === '✗')
		throw new CheckStopped(`This is not the service: ${organization.seen.text}.`);
	const answers: CheckResult['answers'] = [];
	for (const question of questions) {
		const findings = [];
		for (const check of question.checks) findings.push(await check(service).catch(findingOf));
		answers.push({ question, findings });
	}
	return { answers, requests: service.sent };
}

/** @throws CheckStopped */
function findingOf(error: unknown): Finding {
	if (error instanceof CheckStopped) throw error;
	if (error instanceof Unread) return error;
	// A shape that nobody thought of must not cost the rest of the report. The message may contain a value.
	const seen = say`the check is not prepared for these responses; report this as a bug`;
	return { mark: '?', seen };
}
