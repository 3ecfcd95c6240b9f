import { readFileSync } from 'node:fs';
import { isHtml } from '../../nodes/ConversationalMessaging/api/response/errorMessage.ts';
import { CheckClient, CheckStopped, type ClientSettings } from './client.mts';
import { questions as all, type Finding, type Question } from './questions.mts';
import { Service } from './service.mts';
import { say } from './shown.mts';

interface Answered extends Finding {
	question: Question;
}

export interface CheckResult {
	findings: Answered[];
	/** The number of requests that were sent. */
	requests: number;
	/** Why the check ended early; undefined if it is complete. */
	stopped?: CheckStopped;
}

/**
 * Asks all questions.
 *
 * @throws CheckStopped if the service cannot be checked: the address or the token
 */
export async function runCheck(
	settings: ClientSettings,
	questions: readonly Question[] = all,
): Promise<CheckResult> {
	const client = new CheckClient(settings);
	const service = new Service(client);
	const findings: Answered[] = [];
	let stopped: CheckStopped | undefined;
	await checkAddress(service);
	for (const question of questions) {
		// After an early end, what was read still answers some of the others.
		const finding = await question.check(service).catch((error: unknown): Finding => {
			if (error instanceof CheckStopped) stopped = error;
			// A shape that nobody thought of must not cost the rest of the report. Its message may contain a value.
			const why =
				error instanceof CheckStopped
					? say`the check ended before`
					: say`the check is not prepared for these responses; report this as a bug`;
			return { answer: 'unknown', seen: [why], affected: [] };
		});
		findings.push({ question, ...finding });
	}
	return { findings, requests: client.sent, stopped };
}

/** @throws CheckStopped if there is no such service at the address */
async function checkAddress(service: Service): Promise<void> {
	const { response, failure } = await service.read('GET /organization');
	// A single slow or large response says nothing about the others.
	if (failure && !['tooLarge', 'timeout'].includes(failure)) throw CheckStopped.because(failure);
	const is = (what: string): CheckStopped =>
		new CheckStopped(what, 'Check the base URL. It ends in /api/v2.');
	if (response && isHtml(response) && response.status < 500)
		throw is('The response is a web page, not the service’s API.');
	if (response?.status === 404) throw is('The service is not at this address (404).');
}

const { version } = JSON.parse(
	readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string };

/** The report: the conclusion, then what does not work, what the package copes with, what is unknown, and what works. */
export function reportText({ findings, requests, stopped }: CheckResult): string {
	const marks = { '✗': 'broken', '!': 'works, but', '?': 'unknown; if not', '✓': '' };
	const markOf = ({ answer, affected }: Answered): keyof typeof marks => {
		if (answer === 'no') return affected.length > 0 ? '✗' : '!';
		return answer === 'yes' ? '✓' : '?';
	};
	const broken = [...new Set(findings.flatMap(({ affected }) => affected))].join(', ');
	const unknown = findings.filter(({ answer }) => answer === 'unknown').length;
	const works =
		unknown * 2 > findings.length
			? 'Most could not be checked.'
			: `Your service works with this package${broken && `, except for: ${broken}`}.`;
	const lines = (Object.keys(marks) as (keyof typeof marks)[]).flatMap((mark) =>
		findings
			.filter((finding) => markOf(finding) === mark)
			.flatMap(({ question, affected, seen }) => {
				const what = affected.length > 0 ? `${affected.join(', ')}. ` : '';
				const then = mark === '✓' ? [] : [`${marks[mark]}: ${what}${question.otherwise}`];
				const texts = [...then, ...seen.map(({ text }) => text)];
				return [`${mark} ${question.text} (${question.id})`, ...texts.map((text) => `    ${text}`)];
			}),
	);
	return [
		...(stopped ? [`Not complete: ${stopped.message} ${stopped.nextStep}`] : []),
		`${works} Unknown: ${unknown} of ${findings.length} questions.`,
		'',
		...lines,
		'',
		`${requests} requests. Package ${version}.`,
	].join('\n');
}
