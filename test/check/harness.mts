import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { clock } from '../../nodes/ConversationalMessaging/api/clock.ts';
import { join } from 'node:path';
import type { Verdict } from '../../check/assumption.mts';
import { assumptions } from '../../check/assumptions/index.mts';
import { runCheck } from '../../check/check.mts';
import type { Report, ReportedAssumption } from '../../check/report.mts';
import { checkService, TOKEN_VARIABLE, type Surroundings } from '../../check/command.mts';

export interface Run {
	code: number;
	/** What the command printed, with its messages. */
	output: string;
	/** Undefined if none was written. */
	report?: Report;
	markdown?: string;
	/** Everything that was written anywhere. */
	everything: string;
	/** An assumption of the report. */
	found: (id: string) => ReportedAssumption;
}

export interface Judged {
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

/** Runs the command as a user would, with both files. */
export async function check(
	baseUrl: string,
	token: string,
	around: Partial<Surroundings> & { args?: string[] } = {},
): Promise<Run> {
	const folder = mkdtempSync(join(tmpdir(), 'check-'));
	const files = [join(folder, 'report.json'), join(folder, 'report.md')] as const;
	let output = '';
	passTime();
	const write = (text: string) => {
		output += `${text}\n`;
	};
	try {
		const code = await checkService(
			['--base-url', baseUrl, '--json', files[0], '--markdown', files[1], ...(around.args ?? [])],
			{
				env: { [TOKEN_VARIABLE]: token },
				interactive: false,
				colours: false,
				ask: async () => '',
				askHidden: async () => '',
				print: write,
				note: write,
				...around,
			},
		);
		const [json, markdown] = files.map((file) => readOrNothing(file));
		const report = json === undefined ? undefined : (JSON.parse(json) as Report);
		return {
			code,
			output,
			report,
			markdown,
			everything: [output.replaceAll(folder, ''), json, markdown].join('\n'),
			found: (id) => {
				const found = report?.assumptions.find((assumption) => assumption.id === id);
				if (!found) throw new Error(`The report has no ${id}`);
				return found;
			},
		};
	} finally {
		restoreTime();
		rmSync(folder, { recursive: true });
	}
}

function readOrNothing(file: string): string | undefined {
	try {
		return readFileSync(file, 'utf8');
	} catch {
		return undefined;
	}
}
