import { EDITOR_MAX_WAIT_MS } from '../../nodes/ConversationalMessaging/api/client.ts';
import {
	INITIAL_LIMIT,
	MAX_LIMIT,
} from '../../nodes/ConversationalMessaging/api/rate/rateLimiter.ts';
import { MAX_WAIT_MS } from '../../nodes/ConversationalMessaging/api/rate/rateWindow.ts';
import { MAX_ROW_LENGTH } from '../../nodes/ConversationalMessaging/api/files/csv.ts';
import { MAX_PAGES } from '../../nodes/ConversationalMessaging/api/reads/pages.ts';
import {
	MAX_RESPONSE_BYTES,
	MAX_RESPONSE_VALUES,
} from '../../nodes/ConversationalMessaging/api/response/response.ts';
import { MAX_ASKED_MS, MAX_FAILED } from '../../nodes/ConversationalMessaging/api/retry.ts';
import { timeouts } from '../../nodes/ConversationalMessaging/api/timeLimit.ts';
import { TIMEOUT_MS } from '../../nodes/ConversationalMessaging/credentialTest/testConnection.ts';
import { QUIET_FAILURES } from '../../nodes/ConversationalMessaging/trigger/failures.ts';
import {
	RATE_LIMIT_WAIT_MS,
	READING_MS,
} from '../../nodes/ConversationalMessaging/trigger/poll.ts';

const number = (value: number): string => value.toLocaleString('en');

const MB = 1024 * 1024;
const COUNTS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

/** "5 minutes". @param ms whole seconds */
function duration(ms: number): string {
	const units: [unit: string, ms: number][] = [
		['hours', 3_600_000],
		['minutes', 60_000],
		['seconds', 1_000],
	];
	const [unit, of] = units.find(([, length]) => ms % length === 0 && ms > length) ?? [
		'seconds',
		1_000,
	];
	return `${ms / of} ${unit}`;
}

/** As messages write it: "30 s". */
const short = (ms: number): string =>
	duration(ms).replace(' hours', ' h').replace(' minutes', ' min').replace(' seconds', ' s');

/** The limits of the nodes, and what the user reads once one is met, as a table. */
export function nodeLimitsTable(): string {
	const lateAfter = (ms: number) => `"… did not respond in full within ${short(ms)}"`;
	const outOfTime = '"the poll ran out of time"';
	const rows: [what: string, limit: string, message: string][] = [
		[
			'Time of a read',
			`${duration(timeouts.read)}, ${COUNTS[MAX_FAILED]} attempts`,
			`${lateAfter(timeouts.read)}; "Retried without success"`,
		],
		[
			'Time of a write',
			`${duration(timeouts.write)}, one attempt`,
			`${lateAfter(timeouts.write)}; "Not retried because it may have succeeded"`,
		],
		[
			'Time of a file, up or down',
			duration(timeouts.file),
			`${lateAfter(timeouts.file)}; in a download: "the download was incomplete (ETIMEDOUT)"`,
		],
		[
			'Answer of n8n’s file storage',
			duration(timeouts.storage),
			'"n8n could not read the file (ETIMEDOUT)"',
		],
		[
			'Time of a poll',
			`${duration(RATE_LIMIT_WAIT_MS + READING_MS)}, or the time that n8n gives it`,
			`${outOfTime}, after ${COUNTS[QUIET_FAILURES + 1]} polls in a row. The next poll continues`,
		],
		[
			'A poll that does not end',
			'as long as a poll may take',
			'in n8n\'s log: "The last poll has not ended within its time. This poll takes over"',
		],
		['Time of _Fetch Test Event_', duration(READING_MS), outOfTime],
		[
			'Time of the credential test',
			duration(TIMEOUT_MS),
			'"… did not respond in full within 15 s. Run it again later"',
		],
		[
			'Wait for the rate limit',
			`${duration(MAX_WAIT_MS)}; ${duration(RATE_LIMIT_WAIT_MS)} in a poll; ${duration(EDITOR_MAX_WAIT_MS)} in a list`,
			'"the rate limit requires a wait of …"',
		],
		[
			'All waits of one request',
			duration(MAX_ASKED_MS),
			'the same, once the service asks for more',
		],
		[
			'Size of a response that is no file',
			`${MAX_RESPONSE_BYTES / MB} MB, unpacked; one attempt`,
			`"the response from … is too large (more than ${MAX_RESPONSE_BYTES / MB} MB)"`,
		],
		[
			'Fields, list entries and rows in it',
			`${number(MAX_RESPONSE_VALUES)} together; one attempt`,
			`the same: "(more than ${number(MAX_RESPONSE_VALUES)} values)"`,
		],
		[
			'Row of a CSV that the node reads',
			`${number(MAX_ROW_LENGTH)} characters`,
			'"… the CSV could not be read (row 2 is too long, or a quote in it is never closed)"',
		],
		[
			'Pages of a list',
			number(MAX_PAGES),
			`a hint: "The list has more than ${number(MAX_PAGES)} pages"`,
		],
		[
			'Requests at once, for each token',
			`${INITIAL_LIMIT} at first, at most ${MAX_LIMIT}`,
			'nothing',
		],
	];
	const lines = rows.map((cells) => `| ${cells.join(' | ')} |`);
	return ['| What | Limit | What you read when it is met |', '| --- | --- | --- |', ...lines].join(
		'\n',
	);
}
