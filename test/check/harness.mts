import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { clock } from '../../nodes/ConversationalMessaging/api/base/clock.ts';
import { join } from 'node:path';
import type { Verdict } from '../../check/assumption.mts';
import { assumptions } from '../../check/assumptions/index.mts';
import { runCheck } from '../../check/check.mts';
import { checkService, TOKEN_VARIABLE, type Surroundings } from '../../check/command.mts';

interface Run {
	code: number;
	/** What the command printed, with its messages. */
	output: string;
	/** The file; undefined if none was written. */
	markdown?: string;
}

interface Judged {
	verdict: Verdict;
	affected: string[];
	/** What was seen, a line each. */
	seen: string;
}

/** What the check finds about the last of these assumptions if it checks only these. */
export async function judged(baseUrl: string, token: string, ...ids: string[]): Promise<Judged> {
	const chosen = ids.map((id) => {
		const found = assumptions.find((assumption) => assumption.id === id);
		if (!found) throw new Error(`There is no ${id}`);
		return found;
	});
	const { findings } = await runCheck({ baseUrl, token }, chosen);
	const { verdict, affected, seen } = findings[findings.length - 1] as (typeof findings)[number];
	return { verdict, affected, seen: seen.map(({ text }) => text).join('\n') };
}

/** Waits in milliseconds since `passTime`. They take no time: the clock is put forward instead. */
export const waits: number[] = [];

const real = { ...clock };

/** Time that passes as it does, and at once when something waits. */
export function passTime(): void {
	let ahead = 0;
	waits.length = 0;
	clock.now = () => Date.now() + ahead;
	clock.sleep = async (ms) => {
		waits.push(ms);
		ahead += ms;
	};
}

export const restoreTime = (): void => void Object.assign(clock, real);

/** Runs the command as a user would, with a file. */
export async function check(
	baseUrl: string,
	token: string,
	around: Partial<Surroundings> = {},
): Promise<Run> {
	const folder = mkdtempSync(join(tmpdir(), 'check-'));
	const file = join(folder, 'report.md');
	let output = '';
	passTime();
	const write = (text: string) => {
		output += `${text}\n`;
	};
	try {
		const code = await checkService(['--base-url', baseUrl, '--markdown', file], {
			env: { [TOKEN_VARIABLE]: token },
			interactive: false,
			colours: false,
			askHidden: async () => '',
			print: write,
			note: write,
			...around,
		});
		return {
			code,
			output: output.replaceAll(folder, ''),
			...(existsSync(file) && { markdown: readFileSync(file, 'utf8') }),
		};
	} finally {
		restoreTime();
		rmSync(folder, { recursive: true });
	}
}
