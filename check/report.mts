import { readFileSync } from 'node:fs';
import { styleText } from 'node:util';
import type { CheckResult, Finding } from './check.mts';
import { isKnownKey, path, typesAt, allPaths } from './names.mts';
import { LIST_NAMES, LISTS, listIn, type Service } from './service.mts';
import { count, say } from './shown.mts';

const { version } = JSON.parse(
	readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string };

/** What an assumption means for the package: with "works, but", it copes with a service that is different. */
type Outcome = 'broken' | 'works, but' | 'unknown' | 'works';

/** In the order of the report: what is broken first. */
const OUTCOMES = {
	broken: { mark: '✗', style: 'red' },
	'works, but': { mark: '!', style: 'yellow' },
	unknown: { mark: '?', style: 'gray' },
	works: { mark: '✓', style: 'green' },
} as const satisfies Record<Outcome, object>;

function outcomeOf({ verdict, affected }: Finding): Outcome {
	if (affected.length > 0) return 'broken';
	if (verdict === 'cannot tell') return 'unknown';
	return verdict === 'holds' ? 'works' : 'works, but';
}

/** What follows for the user. */
function consequenceOf(finding: Finding): string[] {
	const { otherwise } = finding.assumption;
	switch (outcomeOf(finding)) {
		case 'works':
			return [];
		case 'works, but':
			return [`works, but: ${otherwise}`];
		case 'broken':
			return [`broken: ${finding.affected.join(', ')}. ${otherwise}`];
		case 'unknown':
			return [`unknown; if not: ${otherwise}`];
	}
}

/** Whether the package works with the service, and what does not. */
export function conclusionOf({
	findings,
	stopped,
}: Pick<CheckResult, 'findings' | 'stopped'>): string {
	const unknown = findings.filter((finding) => outcomeOf(finding) === 'unknown');
	if (unknown.length === findings.length)
		return 'Nothing could be read, so it is unknown whether your service works with this package.';
	const broken = [...new Set(findings.flatMap(({ affected }) => affected))].join(', ');
	const rest =
		unknown.length === 0 ? '' : ` Unknown: ${unknown.length} of ${findings.length} assumptions.`;
	if (unknown.length * 2 > findings.length) {
		const reason = stopped ? 'the check ended early' : (unknown[0]?.seen[0]?.text ?? '');
		return `Most could not be checked: ${reason}.${broken && ` What does not work: ${broken}.`}${rest}`;
	}
	const whose = stopped ? 'As far as it was checked, your' : 'Your';
	return `${whose} service works with this package${broken && `, but for: ${broken}`}.${rest}`;
}

interface Layout {
	colours?: boolean;
	/** The width of a line. */
	columns?: number;
}

/** The report as text. Every part that the service determines comes from `Shown`. */
export function reportText(
	result: CheckResult,
	{ colours = false, columns = 100 }: Layout = {},
): string {
	const { findings, requests, stopped } = result;
	const lines = (text: string, indent: number, style?: Parameters<typeof styleText>[0]): string[] =>
		wrap(text, columns - indent).map(
			(line) => ' '.repeat(indent) + (colours && style ? styleText(style, line) : line),
		);
	const names = Object.keys(OUTCOMES) as Outcome[];
	const having = (outcome: Outcome) => findings.filter((one) => outcomeOf(one) === outcome);
	return [
		...(stopped
			? [...lines(`Not complete: ${stopped.message} ${stopped.nextStep}`, 0, 'red'), '']
			: []),
		...lines(conclusionOf(result), 0, 'bold'),
		'',
		...names.flatMap((outcome) =>
			having(outcome).flatMap((finding) => {
				const { mark, style } = OUTCOMES[outcome];
				const { id, question } = finding.assumption;
				const [head = '', ...rest] = lines(`${mark} ${question} (${id})`, 0, style);
				return [
					head,
					...rest,
					...consequenceOf(finding).flatMap((text) => lines(text, 4)),
					...finding.seen.flatMap(({ text }) => lines(text, 4, 'gray')),
				];
			}),
		),
		'',
		...lines(
			`${findings.length} assumptions: ${names.map((name) => `${OUTCOMES[name].mark} ${having(name).length}`).join('  ')}. ${count(requests, 'request').text}. Package ${version}.`,
			0,
		),
	].join('\n');
}

/** The report for an issue, with the keys of all lists and their types. */
export const markdownOf = (result: CheckResult): string =>
	[
		'# Check against a live service',
		'',
		'```',
		reportText(result),
		'```',
		'',
		'## Keys',
		'',
		...fieldsOf(result.service).map(([name, fields]) => `- **${name}**: ${fields.join(', ')}`),
		'',
	].join('\n');

/** Breaks a text between words. A word that is longer than the width stays whole. */
function wrap(text: string, width: number): string[] {
	const lines: string[] = [];
	for (const word of text.split(' ')) {
		const last = lines.at(-1);
		if (last !== undefined && last.length + 1 + word.length <= width)
			lines[lines.length - 1] = `${last} ${word}`;
		else lines.push(word);
	}
	return lines;
}

/** The known keys of the records of each list, with their types. */
function fieldsOf({ readings }: Service): [name: string, keys: string[]][] {
	const endpoints = [
		...LIST_NAMES.map((name) => [name, LISTS[name][0]] as const),
		['messages', 'GET /chats/{id}/messages'] as const,
	];
	return endpoints.flatMap(([name, endpoint]): [string, string[]][] => {
		const rows = readings
			.filter((reading) => reading.endpoint === endpoint)
			.flatMap((reading) => listIn(reading, [name]).rows)
			.slice(0, 200);
		const all = allPaths(rows, 2);
		const known = all.filter((keys) => keys.every(isKnownKey));
		const shown = [
			...known.map((keys) => say`${path(keys)} (${typesAt(rows.slice(0, 50), keys)})`),
			...(all.length > known.length ? [count(all.length - known.length, 'other key')] : []),
		];
		return shown.length > 0 ? [[name, shown.map(({ text }) => text)]] : [];
	});
}
