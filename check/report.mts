import { readFileSync } from 'node:fs';
import type { CheckResult, Finding } from './check.mts';
import { allPaths, paths } from './names.mts';
import { LIST_NAMES, LISTS, listIn, type Service } from './service.mts';
import { count } from './shown.mts';

const { version } = JSON.parse(
	readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string };

/**
 * What an assumption means for the package, in the order of the report. `!`: the package copes with a service that is
 * different.
 */
const MARKS = ['✗', '!', '?', '✓'] as const;

function markOf({ verdict, affected }: Finding): (typeof MARKS)[number] {
	if (affected.length > 0) return '✗';
	if (verdict === 'cannot tell') return '?';
	return verdict === 'holds' ? '✓' : '!';
}

/** What follows for the user. */
function consequenceOf(finding: Finding): string[] {
	const { affected, assumption } = finding;
	return {
		'✗': [`broken: ${affected.join(', ')}. ${assumption.otherwise}`],
		'!': [`works, but: ${assumption.otherwise}`],
		'?': [`unknown; if not: ${assumption.otherwise}`],
		'✓': [],
	}[markOf(finding)];
}

/** Whether the package works with the service, and what does not. */
export function conclusionOf({
	findings,
	stopped,
}: Pick<CheckResult, 'findings' | 'stopped'>): string {
	const unknown = findings.filter((finding) => markOf(finding) === '?');
	const reason = stopped ? 'the check ended early' : (unknown[0]?.seen[0]?.text ?? '');
	if (unknown.length === findings.length)
		return `Nothing could be read, so it is unknown whether your service works with this package: ${reason}.`;
	const broken = [...new Set(findings.flatMap(({ affected }) => affected))].join(', ');
	const rest =
		unknown.length === 0 ? '' : ` Unknown: ${unknown.length} of ${findings.length} assumptions.`;
	if (unknown.length * 2 > findings.length)
		return `Most could not be checked: ${reason}.${broken && ` What does not work: ${broken}.`}${rest}`;
	const whose = stopped ? 'As far as it was checked, your' : 'Your';
	return `${whose} service works with this package${broken && `, except for: ${broken}`}.${rest}`;
}

/** The report. Every part that the service determines comes from `Shown`. @param columns the width of a line */
export function reportText(result: CheckResult, columns = 100): string {
	const { findings, requests, stopped } = result;
	const paragraphs = [
		...(stopped ? [`Not complete: ${stopped.message} ${stopped.nextStep}`, ''] : []),
		conclusionOf(result),
		'',
		...MARKS.flatMap((mark) =>
			findings
				.filter((finding) => markOf(finding) === mark)
				.flatMap((finding) => [
					`${mark} ${finding.assumption.question} (${finding.assumption.id})`,
					...[...consequenceOf(finding), ...finding.seen.map(({ text }) => text)].map(
						(text) => `    ${text}`,
					),
				]),
		),
		'',
		'Keys',
		...keysOf(result.service).map((text) => `    ${text}`),
		'',
		`${findings.length} assumptions. ${count(requests, 'request').text}. Package ${version}.`,
	];
	return paragraphs.flatMap((text) => wrap(text, columns)).join('\n');
}

/** Breaks a text between words, and indents each line as the first. A word that is longer than a line stays whole. */
function wrap(text: string, columns: number): string[] {
	const indent = /^ */.exec(text)?.[0] ?? '';
	const lines: string[] = [];
	for (const word of text.trimStart().split(' ')) {
		const line = `${lines.at(-1) ?? ''} ${word}`;
		if (lines.length > 0 && line.length <= columns) lines[lines.length - 1] = line;
		else lines.push(indent + word);
	}
	return lines;
}

/** The keys of the records of each list. */
function keysOf({ readings }: Service): string[] {
	const endpoints = [
		...LIST_NAMES.map((name) => [name, LISTS[name][0]] as const),
		['messages', 'GET /chats/{id}/messages'] as const,
	];
	return endpoints.flatMap(([name, endpoint]) => {
		const rows = readings
			.filter((reading) => reading.endpoint === endpoint)
			.flatMap((reading) => listIn(reading, [name]).rows);
		return rows.length > 0 ? [`${name}: ${paths(allPaths(rows.slice(0, 200), 2)).text}`] : [];
	});
}
