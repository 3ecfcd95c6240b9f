import { parseArgs } from 'node:util';
import { checkBaseUrl } from '../../nodes/ConversationalMessaging/api/access/baseUrl.ts';
import { reportText, runCheck } from './check.mts';
import { CheckStopped } from './client.mts';

const TOKEN_VARIABLE = 'CONVERSATIONAL_MESSAGING_TOKEN';

const HELP = `npm run check-service -- --base-url URL

Checks what the service does where its documentation says nothing. It sends about 30 GET requests and changes nothing.
The token comes from the environment variable ${TOKEN_VARIABLE}, or from a prompt.

  --base-url URL     the address of the service, up to and including /api/v2`;

/** What the command needs from its surroundings. */
export interface Surroundings {
	env: Record<string, string | undefined>;
	/** Asks for the token; what is typed is not shown. Undefined if nobody can answer. */
	askHidden?: (question: string) => Promise<string>;
	/** Writes the report. */
	print: (text: string) => void;
	/** Writes progress and messages. */
	note: (text: string) => void;
	signal?: AbortSignal;
}

/** Runs the command. @returns its exit code: 0 if the check ran to the end, even if it found problems; otherwise 1 */
export async function checkService(args: string[], around: Surroundings): Promise<number> {
	try {
		return await run(args, around);
	} catch (error) {
		if (!(error instanceof CheckStopped)) throw error;
		around.note(`\n${error.message}\n${error.nextStep}\n`);
		return 1;
	}
}

async function run(args: string[], around: Surroundings): Promise<number> {
	const options = readArguments(args);
	if (options.help) {
		around.print(HELP);
		return 0;
	}
	const { url, hint } = checkBaseUrl(options['base-url']);
	if (url === undefined) throw new CheckStopped('The address cannot be used.', `${String(hint)}.`);
	const token = await readToken(around);
	around.note('Reading the service …\n');
	const result = await runCheck({ baseUrl: url, token, signal: around.signal });
	around.print(reportText(result));
	return result.stopped ? 1 : 0;
}

function readArguments(args: string[]) {
	if (args.some((arg) => /wa_pk_|^--?t(?:oken)?\b/i.test(arg)))
		throw new CheckStopped(
			'The token is not an argument, because other users of this machine can see arguments.',
			`Set the environment variable ${TOKEN_VARIABLE}, or enter it when you are asked.`,
		);
	try {
		return parseArgs({
			args,
			options: { 'base-url': { type: 'string' }, help: { type: 'boolean', default: false } },
		}).values;
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		// What belongs to no option may be a token.
		const isStray = code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL';
		throw new CheckStopped(
			isStray ? 'An argument belongs to no option.' : `${message.split('. ')[0] ?? ''}.`,
			'npm run check-service -- --help lists the options.',
		);
	}
}

async function readToken({ env, askHidden }: Surroundings): Promise<string> {
	const token = env[TOKEN_VARIABLE]?.trim() || ((await askHidden?.('API token: ')) ?? '');
	if (token === '')
		throw new CheckStopped(
			'There is no token.',
			`Set the environment variable ${TOKEN_VARIABLE} to an API token of the service.`,
		);
	// Anything else cannot be in a header.
	if (!/^[\x21-\x7e]+$/.test(token))
		throw new CheckStopped(
			'The token contains spaces or other characters that a token cannot have.',
			'Copy it again from the dashboard. It begins with wa_pk_.',
		);
	return token;
}
