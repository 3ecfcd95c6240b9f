import type { IDataObject } from 'n8n-workflow';
import { wordsOf } from './names.mts';
import { allPaths, valueAt } from './observe.mts';

const STATUS_WORDS = ['status', 'state', 'stage', 'phase', 'step', 'progress'];

/** Paths of fields that look like a status, by their names. */
export function statusLike(rows: readonly IDataObject[]): string[][] {
	return allPaths(rows.slice(0, 50), 3).filter((path) => {
		const named = path.some((key) => wordsOf(key).some((word) => STATUS_WORDS.includes(word)));
		return named && rows.some((row) => ['string', 'number'].includes(typeof valueAt(row, path)));
	});
}
