import { readFileSync } from 'node:fs';
import type { Verdict } from './assumption.mts';
import type { CheckResult } from './check.mts';
import { LIST_NAMES, LISTS } from './lists.mts';
import { isKnownKey, path } from './names.mts';
import { allPaths, typesAt } from './records.mts';
import { listIn, type Service } from './service.mts';
import { count, say, type Shown } from './shown.mts';

const { version } = JSON.parse(
	readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string };

/** What a report contains, whatever its form. Every text of it comes from `Shown`. */
export interface Report {
	format: 1;
	package: string;
	requests: number;
	/** Why the check ended early. */
	incomplete?: string;
	assumptions: ReportedAssumption[];
	/** What a message changed, if one was sent. */
	message?: string[];
	/** The keys of each list with their types. */
	fields: Record<string, string[]>;
}

export interface ReportedAssumption {
	id: string;
	question: string;
	verdict: Verdict;
	seen: string[];
	/** What follows for the user if the assumption does not hold. */
	otherwise: string;
	/** The operations that go wrong; [] if the package copes with it. */
	affected: string[];
}

export function reportOf(result: CheckResult, message?: Shown[]): Report {
	const { findings, requests, stopped, service } = result;
	return {
		format: 1,
		package: version,
		requests,
		...(stopped && { incomplete: `${stopped.message} ${stopped.nextStep}` }),
		assumptions: findings.map(({ assumption, verdict, seen, affected }) => ({
			id: assumption.id,
			question: assumption.question,
			verdict,
			seen: textsOf(seen),
			otherwise: assumption.otherwise,
			affected,
		})),
		...(message && { message: textsOf(message) }),
		fields: fieldsOf(service),
	};
}

const textsOf = (shown: readonly Shown[]): string[] => shown.map(({ text }) => text);

export type Outcome = 'works' | 'works, but' | 'broken' | 'unknown';

/** What an assumption means for the package: with "works, but", it copes with a service that is different. */
export function outcomeOf({ verdict, affected }: ReportedAssumption): Outcome {
	if (affected.length > 0) return 'broken';
	if (verdict === 'cannot tell') return 'unknown';
	return verdict === 'holds' ? 'works' : 'works, but';
}

/** The outcome with its consequence for the user. */
export function outcomeText(assumption: ReportedAssumption): string {
	const { otherwise, affected } = assumption;
	switch (outcomeOf(assumption)) {
		case 'works':
			return 'works';
		case 'works, but':
			return `works, but: ${otherwise}`;
		case 'broken':
			return `broken: ${affected.join(', ')}. ${otherwise}`;
		case 'unknown':
			return `unknown; if not: ${otherwise}`;
	}
}

/** The number of assumptions with each outcome. */
export function countsOf({ assumptions }: Report): string {
	const number = (outcome: Outcome) =>
		assumptions.filter((assumption) => outcomeOf(assumption) === outcome).length;
	return `${assumptions.length} assumptions: ${number('works')} work, ${number('works, but')} work with a difference, ${number('broken')} broken, ${number('unknown')} unknown`;
}

const ORDER: Outcome[] = ['broken', 'works, but', 'unknown', 'works'];

/** What is broken comes first, what works last. */
export const byOutcome = ({ assumptions }: Report): ReportedAssumption[] =>
	assumptions.toSorted(
		(one, other) => ORDER.indexOf(outcomeOf(one)) - ORDER.indexOf(outcomeOf(other)),
	);

const unknownIn = ({ assumptions }: Report): number =>
	assumptions.filter((one) => outcomeOf(one) === 'unknown').length;

/** Whether so much is unknown that it cannot be said whether the service works with the package. */
export const isMostlyUnknown = (report: Report): boolean =>
	unknownIn(report) * 2 > report.assumptions.length;

/** Whether the package works with the service, and what does not. */
export function conclusionOf(report: Report): string {
	const unknown = unknownIn(report);
	if (unknown === report.assumptions.length)
		return 'Nothing could be read, so it is unknown whether your service works with this package.';
	const wrong = [...new Set(report.assumptions.flatMap(({ affected }) => affected))];
	if (isMostlyUnknown(report)) {
		const reason =
			report.incomplete === undefined
				? report.assumptions.find((one) => outcomeOf(one) === 'unknown')?.seen[0]
				: 'the check ended early';
		const broken = wrong.length === 0 ? '' : ` What does not work: ${wrong.join(', ')}.`;
		return `Most could not be checked: ${reason ?? ''}.${broken} Unknown: ${unknown} of ${report.assumptions.length} assumptions.`;
	}
	const works = `${report.incomplete === undefined ? 'Your' : 'As far as it was checked, your'} service works with this package`;
	const rest =
		unknown === 0 ? '' : ` Unknown: ${unknown} of ${report.assumptions.length} assumptions.`;
	return `${works}${wrong.length === 0 ? '' : `, but for: ${wrong.join(', ')}`}.${rest}`;
}

function fieldsOf({ readings }: Service): Report['fields'] {
	const endpoints = [
		...LIST_NAMES.map((name) => [name, LISTS[name]] as const),
		['messages', 'GET /chats/{id}/messages'] as const,
	];
	const fields = endpoints.map(([name, endpoint]) => {
		const rows = readings
			.filter((reading) => reading.endpoint === endpoint)
			.flatMap((reading) => listIn(reading, [name]).rows)
			.slice(0, 200);
		const all = allPaths(rows, 2);
		const known = all.filter((keys) => keys.every(isKnownKey));
		const others = all.length - known.length;
		return [
			name,
			textsOf([
				...known.map((keys) => say`${path(keys)} (${typesAt(rows.slice(0, 50), keys)})`),
				...(others > 0 ? [count(others, 'other key')] : []),
			]),
		] as const;
	});
	return Object.fromEntries(fields.filter(([, keys]) => keys.length > 0));
}
