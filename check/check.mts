import { isHtml } from '../nodes/ConversationalMessaging/api/response/errorMessage.ts';
import { cannotTell, type Assumption, type Judgement } from './assumption.mts';
import { assumptions as all } from './assumptions/index.mts';
import { CheckClient, CheckStopped, type ClientSettings } from './client.mts';
import { Service } from './service.mts';
import { say, thrown } from './shown.mts';

/** What was found about one assumption. */
export interface Finding extends Judgement {
	assumption: Assumption;
}

export interface CheckResult {
	findings: Finding[];
	service: Service;
	/** The number of requests that were sent. */
	requests: number;
	/** Why the check ended early; undefined if it is complete. */
	stopped?: CheckStopped;
}

/**
 * Checks all assumptions against a service.
 *
 * @throws CheckStopped if the service cannot be checked: the address or the token
 */
export async function runCheck(
	settings: ClientSettings,
	assumptions: readonly Assumption[] = all,
): Promise<CheckResult> {
	const client = new CheckClient(settings);
	const service = new Service(client);
	const findings: Finding[] = [];
	let stopped: CheckStopped | undefined;
	await checkAddress(service);
	for (const assumption of assumptions) {
		// After an early end, what was read still answers some of the others.
		const judgement = await assumption.check(service).catch((error: unknown) => {
			if (error instanceof CheckStopped) stopped = error;
			return error instanceof CheckStopped
				? cannotTell(say`the check ended before`)
				: // A shape that nobody thought of must not cost the rest of the report.
					cannotTell(
						say`the check is not prepared for these responses (${thrown(error)}); report this as a bug`,
					);
		});
		findings.push({ assumption, ...judgement });
	}
	return { findings, service, requests: client.sent, stopped };
}

/** @throws CheckStopped if there is no such service at the address */
async function checkAddress(service: Service): Promise<void> {
	const { response, failure } = await service.read('GET /organization');
	// A single slow or large response says nothing about the others.
	if (failure && !['too large', 'timeout'].includes(failure)) throw CheckStopped.because(failure);
	const is = (what: string): CheckStopped =>
		new CheckStopped(what, 'Check the base URL. It ends in /api/v2.');
	if (response && isHtml(response) && response.status < 500)
		throw is('The response is a web page, not the service’s API.');
	if (response?.status === 404) throw is('The service is not at this address (404).');
}
