import { runCheck } from '../../tools/check/check.mts';
import { questions, type Finding } from '../../tools/check/questions.mts';
import { checkService, type Surroundings } from '../../tools/check/command.mts';
import { TOKEN } from '../support/plainService.mts';

interface Run {
	code: number;
	/** What the command printed: its report and its messages. */
	output: string;
}

interface Judged {
	answer: Finding['answer'];
	affected: string[];
	/** What was seen, a line each. */
	seen: string;
}

/** What the check finds about a question if it asks only this one. */
export async function judged(baseUrl: string, token: string, id: string): Promise<Judged> {
	const chosen = questions.filter((question) => question.id === id);
	const { findings } = await runCheck({ baseUrl, token }, chosen);
	const { answer, affected, seen } = findings[0]!;
	return { answer, affected, seen: seen.map(({ text }) => text).join('\n') };
}

/** Runs the command. */
export async function command(args: string[], around: Partial<Surroundings> = {}): Promise<Run> {
	const texts: string[] = [];
	const write = (text: string) => void texts.push(text);
	const code = await checkService(args, { env: {}, print: write, note: write, ...around });
	return { code, output: texts.join('\n') };
}

/** Runs the command as a user would. */
export const check = async (
	baseUrl: string,
	token = TOKEN,
	around: Partial<Surroundings> = {},
): Promise<Run> =>
	await command(['--base-url', baseUrl], {
		env: { CONVERSATIONAL_MESSAGING_TOKEN: token },
		...around,
	});
