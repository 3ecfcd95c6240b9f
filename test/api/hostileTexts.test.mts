/** Texts of a service, a proxy or a file that are long, and made to be slow to read. */
import { Readable } from 'node:stream';
import { checkBaseUrl } from '../../nodes/ConversationalMessaging/api/access/credential.ts';
import { sentAt } from '../../nodes/ConversationalMessaging/api/response/chatMessage.ts';
import { readCsv, readCsvHeader } from '../../nodes/ConversationalMessaging/api/files/csv.ts';
import {
	serviceMessageIn,
	isHtml,
} from '../../nodes/ConversationalMessaging/api/response/serviceMessage.ts';
import { fileNameIn } from '../../nodes/ConversationalMessaging/runner/downloads.ts';
import { connectionFailure } from '../../nodes/ConversationalMessaging/api/attemptFailure.ts';
import { permissionIn } from '../../nodes/ConversationalMessaging/api/endpoint.ts';
import { progressOf } from '../../nodes/ConversationalMessaging/api/response/progress.ts';
import { readRateInfo } from '../../nodes/ConversationalMessaging/api/rate/rateHeaders.ts';
import { shown } from '../../nodes/ConversationalMessaging/api/access/shown.ts';
import { parseResponse } from '../../nodes/ConversationalMessaging/api/response/response.ts';
import { readQuietHours } from '../../nodes/ConversationalMessaging/parameters/quietHours.ts';
import { variesByItem } from '../../nodes/ConversationalMessaging/parameters/savedParameters.ts';
import { countryNamed } from '../../nodes/ConversationalMessaging/phone/country.ts';
import { customerId } from '../../nodes/ConversationalMessaging/phone/customerId.ts';
import {
	readPhoneNumber,
	searchText,
} from '../../nodes/ConversationalMessaging/phone/readPhoneNumber.ts';
import { templateText } from '../../nodes/ConversationalMessaging/template/text.ts';
import { variablesOf } from '../../nodes/ConversationalMessaging/template/variables.ts';
import { readNumber, readOption } from '../../nodes/ConversationalMessaging/parameters/values.ts';
import { WA_ID } from '../../nodes/ConversationalMessaging/resources/contactImport/importItems.ts';
import { layoutOf } from '../../nodes/ConversationalMessaging/resources/shared/csvColumns.ts';
import { isWindowClosed } from '../../nodes/ConversationalMessaging/resources/message/serviceWindow.ts';
import { REPEATED } from '../support/hostileTexts.mts';
import { computedMs } from '../support/computedMs.mts';

const response = (text: string) => parseResponse(400, {}, text);
const template = (text: string) => [{ type: 'BODY', text }];

/** Whatever reads a text that is not from this package. */
const READERS: Record<string, (text: string) => unknown> = {
	'an error page': (text) => serviceMessageIn(response(text)),
	'an error in JSON': (text) =>
		serviceMessageIn(response(JSON.stringify({ field: text, message: text }))),
	'an error of a message': (text) => isWindowClosed(response(text)),
	'the kind of page': (text) => isHtml(response(text)),
	'a missing permission': permissionIn,
	'a text in a message': (text) => shown`${text}`,
	'an error of the HTTP client': (text) => connectionFailure({ message: text }),
	'a header of a file': fileNameIn,
	'headers of the rate limit': (text) =>
		readRateInfo({ ratelimit: text, 'retry-after': text, [`x-ratelimit-${text}`]: '1' }, 0),
	'a status': progressOf,
	'the time of a message': (text) => sentAt({ createdAt: text }),
	'the header row of a CSV file': async (text) =>
		await readCsvHeader(Readable.from([Buffer.from(text)])).catch(() => undefined),
	'a column of an import template': (text) => layoutOf([text]).columnOf(WA_ID),
	'the variables of a template': (text) => variablesOf(template(text)),
	'the text of a template': (text) => templateText(template(text), () => 'x'),
	'a base URL': (text) => checkBaseUrl(`https://example.com/${text}`),
	'quiet hours': readQuietHours,
	'a phone number': readPhoneNumber,
	'what identifies a customer': customerId,
	'the name of a country': countryNamed,
	'a search': searchText,
	'a number': readNumber,
	'an option': readOption(['a b']),
	'an expression': (text) => variesByItem(`=${text}`),
};

const textOf = (repeated: string, length: number) =>
	`${repeated.repeat(length / repeated.length)}\u0001`;

/** How long reading it takes, in milliseconds. */
async function timeOf(read: (text: string) => unknown, text: string): Promise<number> {
	const started = computedMs();
	await read(text);
	return computedMs() - started;
}

/** Linear: a few milliseconds per 100 KB. Quadratic: seconds for 100 KB, minutes for 1 MB. */
const LENGTHS = process.env.LONG ? [10_000, 100_000, 1_000_000] : [10_000, 100_000];
const MOST_MS = 1_000;

test.each(Object.entries(READERS))(
	'%s is read in a time that grows with its length',
	async (_what, read) => {
		for (const length of LENGTHS) {
			for (const repeated of REPEATED) {
				const took = await timeOf(read, textOf(repeated, length));
				if (took > MOST_MS * Math.max(1, length / 100_000))
					throw new Error(`${length} characters of ${JSON.stringify(repeated)} take ${took} ms`);
			}
		}
	},
);

test('a row of many stray quotes before many spaces and a separator is read in time, wherever it is split', async () => {
	const text = `name,other\n"a" ,b\n"${'"x'.repeat(20_000)}${' '.repeat(40_000)},x",b\n`;
	const pieces = Array.from({ length: 90 }, (_, n) =>
		Buffer.from(text.slice(n * 1_000, n * 1_000 + 1_000)),
	);
	const started = computedMs();
	const rows = await readCsv(Readable.from(pieces));
	expect(computedMs() - started).toBeLessThan(MOST_MS);
	expect(rows.map(({ other }) => other)).toStrictEqual(['b', 'b']);
});
