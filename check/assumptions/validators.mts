import { assumption, fails, holds, cannotTell } from '../assumption.mts';
import { isOk } from '../service.mts';
import { count, say } from '../shown.mts';

export const validators = assumption({
	id: 'validators',
	question:
		'Do responses have an ETag or Last-Modified, so that an unchanged list can be recognized?',
	settles: [],
	otherwise: 'The nodes do not use either: they read a list in full each time.',
	observe: async (service) => await service.largePage('tickets'),
	judge(_list, { readings }) {
		const answered = readings.filter(
			(reading) => isOk(reading) && reading.response?.json !== undefined,
		);
		if (answered.length === 0) return cannotTell(say`no list was read`);
		const having = (name: string) =>
			answered.filter(({ response }) => response?.headers[name] !== undefined).length;
		const [tags, dates] = [having('etag'), having('last-modified')];
		const seen = say`of ${count(answered.length, 'response')}, ${tags} have an ETag and ${dates} Last-Modified`;
		return tags + dates > 0 ? holds(seen) : fails(seen);
	},
});
