import type { Endpoint } from '../nodes/ConversationalMessaging/api/endpoint.ts';
import { isHtml } from '../nodes/ConversationalMessaging/api/response/errorMessage.ts';
import { cannotTell, type Assumption, type Judgement } from './assumption.mts';
import { assumptions as all } from './assumptions/index.mts';
import { CheckClient, CheckStopped, type ClientSettings } from './client.mts';
import { isOk, Service, type Reading } from './service.mts';
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

interface CheckSettings extends ClientSettings {
	/** Called before each assumption. @param step from 1 */
	onProgress?: (step: number, of: number) => void;
}

/**
 * Checks all assumptions against a service.
 *
 * @throws CheckStopped if the service cannot be checked: the address or the token
 */
export async function runCheck(
	settings: CheckSettings,
	assumptions: readonly Assumption[] = all,
): Promise<CheckResult> {
	const client = new CheckClient(settings);
	const service = new Service(client);
	const findings: Finding[] = [];
	let stopped: CheckStopped | undefined;
	await checkAddress(service);
	for (const [index, assumption] of assumptions.entries()) {
		settings.onProgress?.(index + 1, assumptions.length);
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
	requireSomething(service, stopped);
	return { findings, service, requests: client.sent, stopped };
}

const FIRST: Endpoint = 'GET /organization';

/** @throws CheckStopped if there is no such service at the address */
async function checkAddress(service: Service): Promise<void> {
	const { response, failure } = await service.read(FIRST);
	// A single slow or large response says nothing about the others.
	if (failure && !['too large', 'timeout'].includes(failure)) throw CheckStopped.because(failure);
	if (response && isHtml(response) && response.status < 500)
		throw new CheckStopped(
			'The response is a web page, not the service’s API.',
			'Check the base URL. It ends in /api/v2.',
		);
}

/** @throws CheckStopped if nothing could be read, with the most likely reason */
function requireSomething({ readings }: Service, stopped: CheckStopped | undefined): void {
	const isReadable = (reading: Reading) => isOk(reading) && reading.response?.json !== undefined;
	if (readings.some(isReadable)) return;
	if (stopped) throw stopped;
	const statuses = new Set(readings.map(({ response }) => response?.status));
	if (statuses.has(403))
		throw new CheckStopped(
			'The service rejects every request of this token (403): it is inactive or expired, or has no permission for reading.',
			'Create a token with the permissions that end in .view, and set CONVERSATIONAL_MESSAGING_TOKEN to it.',
		);
	if (statuses.has(404))
		throw new CheckStopped(
			'None of the service’s routes is at this address (404).',
			'Check the base URL, up to and including /api/v2.',
		);
	throw new CheckStopped(
		'No response of the service could be read as JSON.',
		'Check the base URL, and whether the service is available.',
	);
}
