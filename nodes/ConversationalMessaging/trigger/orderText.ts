import type { ListOrder } from './order';

/** "1042 2s.abc 2u.def": the length, and for each mark its distance from the previous one and its key, in base 36. */
export function orderText({ marks, total }: ListOrder): string {
	let last = 0;
	const texts = marks.map(({ key, rank }) => {
		const text = `${(rank - last).toString(36)}.${key.toString(36)}`;
		last = rank;
		return text;
	});
	return [total, ...texts].join(' ');
}

/** @returns undefined if the text is invalid */
export function readOrder(text: unknown): ListOrder | undefined {
	if (typeof text !== 'string') return undefined;
	const [total = '', ...texts] = text.split(' ');
	let rank = 0;
	const marks = texts.map((mark) => {
		const [distance = '', key = ''] = mark.split('.');
		rank += parseInt(distance, 36);
		return { key: parseInt(key, 36), rank };
	});
	const isSound = marks.every((mark) => Number.isFinite(mark.key) && Number.isFinite(mark.rank));
	return /^\d+$/.test(total) && isSound ? { marks, total: Number(total) } : undefined;
}
