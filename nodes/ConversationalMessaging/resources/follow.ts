import type { IDataObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { isRecord, payloadOf, statusOf } from '../api/answer';
import { clock } from '../api/clock';
import type { Endpoint } from '../api/endpoint';
import type { Steps } from './operation';

/** The first look comes soon, each later one after half as long again, up to half a minute. */
const FIRST_MS = 2_000;
const LONGEST_MS = 30_000;

/**
 * Looks at a record until its status no longer says that work goes on, or the time is up. Progress is followed by
 * polling: the service tells nobody (API document, section Events).
 *
 * @param moving statuses of work that goes on; upper or lower case, and unknown ones have ended
 * @param maxMs how long at most, in milliseconds; undefined looks once
 * @param known the record as it was made. A look that goes wrong then ends the wait, not the run: what was made must
 *   not be made again because it could not be watched
 * @returns the record as it was seen last
 */
export async function follow(
	steps: Steps,
	endpoint: Endpoint,
	id: string,
	moving: string[],
	maxMs: number | undefined,
	known?: IDataObject,
): Promise<IDataObject> {
	const until = clock.now() + (maxMs ?? 0);
	let last = known;
	for (let pause = FIRST_MS; ; pause = Math.min(LONGEST_MS, pause * 1.5)) {
		const record = await look(steps, endpoint, id).catch((error: unknown) => {
			if (!last || !(error instanceof NodeApiError)) throw error;
			steps.notify(`It went through, but could not be followed to its end. ${error.message}`);
			return undefined;
		});
		if (!record) return last as IDataObject;
		last = record;
		const status = (statusOf(record) ?? '').toUpperCase();
		if (maxMs === undefined || !moving.includes(status)) return record;
		const left = until - clock.now();
		if (left <= 0) {
			const minutes = Math.round(maxMs / 60_000);
			steps.notify(`The wait is over after ${minutes} min, and the status is still ${status}`);
			return record;
		}
		await steps.wait(Math.min(pause, left));
	}
}

async function look(steps: Steps, endpoint: Endpoint, id: string): Promise<IDataObject> {
	const payload = payloadOf((await steps.send(endpoint, { path: { id } })).json);
	return isRecord(payload) ? payload : ({ data: payload } as IDataObject);
}
