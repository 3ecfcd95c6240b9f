import { assumption, fails, holds, cannotTell } from '../assumption.mts';
import { Endpoints } from '../observe.mts';
import { violations, type Violation } from '../responseContract.mts';
import { isOk, type Reading } from '../service.mts';
import { count, join, say, type Shown } from '../shown.mts';
import type { Names } from '../names.mts';

interface Observed {
	reading: Reading;
	found: Violation[];
}

export const responseContract = assumption<Observed[]>({
	id: 'envelope',
	question: 'Do the responses have the documented envelope: success, data, and meta for lists?',
	settles: [],
	otherwise:
		'The nodes read a body without the envelope as the payload itself, and look for counts in several places.',
	async observe(service) {
		await service.largePage('tickets');
		const judged: Observed[] = [];
		for (const reading of service.readings) {
			const { json, status } = reading.response ?? {};
			if (!isOk(reading) || json === undefined) continue;
			judged.push({ reading, found: await violations(reading.endpoint, status ?? 0, json) });
		}
		return judged;
	},
	judge(judged, { names }) {
		if (judged.length === 0) return cannotTell(say`no response was JSON`);
		const wrong = judged.filter(({ found }) => found.length > 0);
		if (wrong.length === 0)
			return holds(say`${count(judged.length, 'response')}, all as in the contract`);
		const routes = new Map(wrong.map((entry) => [entry.reading.endpoint, entry]));
		return fails(
			say`${wrong.length} of ${count(judged.length, 'response')} not as in the contract`,
			...[...routes.values()].map(
				({ reading, found }) =>
					say`${Endpoints.shown(reading.endpoint)}: ${join(
						found.map((violation) => shown(violation, names)),
						'; ',
					)}`,
			),
		);
	},
});

function shown({ path, rule, detail }: Violation, names: Names): Shown {
	const place = path.length === 0 ? say`the body` : names.path(path);
	if (rule === 'required') return say`${place} lacks ${names.key(detail ?? '')}`;
	if (rule === 'type')
		return say`${place} is not ${join(
			(detail ?? '').split(' or ').map((type) => names.key(type)),
			' or ',
		)}`;
	return say`${place} has another form`;
}
