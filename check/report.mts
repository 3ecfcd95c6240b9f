import { readFileSync } from 'node:fs';
import type { CheckResult, Finding } from './check.mts';
import { LIST_NAMES } from './lists.mts';
import { allPaths, typesAt } from './observe.mts';
import { operationsOf } from './operations.mts';
import { listIn, type Reading } from './service.mts';
import type { WatchFinding } from './watch.mts';

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
	/** The types of each key, by list. */
	fields: Record<string, Record<string, string>>;
}

export interface ReportedAssumption {
	id: string;
	question: string;
	verdict: Finding['verdict'];
	seen: string[];
	/** What follows for the user if the assumption does not hold. */
	otherwise: string;
	/** The operations that go wrong; [] if the package copes with it. */
	affected: string[];
}

export function reportOf(result: CheckResult, watched?: WatchFinding): Report {
	const { findings, requests, stopped } = result;
	return {
		format: 1,
		package: version,
		requests,
		...(stopped && { incomplete: `${stopped.message} ${stopped.nextStep}` }),
		assumptions: findings.map(({ assumption, verdict, seen, breaks = [], events = [] }) => ({
			id: assumption.id,
			question: assumption.question,
			verdict,
			seen: seen.map(({ text }) => text),
			otherwise: assumption.otherwise,
			affected: [...operationsOf(breaks), ...events],
		})),
		...(watched && { message: watched.seen.map(({ text }) => text) }),
		fields: fieldsOf(result),
	};
}

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
	const count = (outcome: Outcome) =>
		assumptions.filter((assumption) => outcomeOf(assumption) === outcome).length;
	return `${assumptions.length} assumptions: ${count('works')} work, ${count('works, but')} work with a difference, ${count('broken')} broken, ${count('unknown')} unknown`;
}

/** What is broken comes first. */
export const brokenFirst = ({ assumptions }: Report): ReportedAssumption[] =>
	assumptions.toSorted((one, other) => rank(one) - rank(other));

const rank = (assumption: ReportedAssumption): number =>
	outcomeOf(assumption) === 'broken' ? 0 : 1;

/** Whether the package works with the service, and what does not. */
export function conclusionOf(report: Report): string {
	if (report.assumptions.every(({ verdict }) => verdict === 'cannot tell'))
		return 'Nothing could be read, so it is unknown whether your service works with this package.';
	const wrong = [...new Set(report.assumptions.flatMap(({ affected }) => affected))];
	const works = `${report.incomplete === undefined ? 'Your' : 'As far as it was checked, your'} service works with this package`;
	return wrong.length === 0 ? `${works}.` : `${works}, but for: ${wrong.join(', ')}.`;
}

function fieldsOf({ service, names }: CheckResult): Report['fields'] {
	const fields: Report['fields'] = {};
	for (const name of [...LIST_NAMES, 'messages']) {
		const rows = service.readings
			.filter((reading) => isListOf(reading, name))
			.flatMap((reading) => listIn(reading, [name]).rows);
		if (rows.length === 0) continue;
		const entries = allPaths(rows.slice(0, 200), 2).map(
			(path) => [names.path(path).text, typesAt(rows.slice(0, 50), path).text] as const,
		);
		fields[name] = Object.fromEntries(entries);
	}
	return fields;
}

const isListOf = ({ endpoint }: Reading, name: string): boolean =>
	name === 'messages' ? endpoint === 'GET /chats/{id}/messages' : endpoint.endsWith(`/${name}`);
