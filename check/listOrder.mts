import type { IDataObject } from 'n8n-workflow';
import { idOf } from '../nodes/ConversationalMessaging/api/pages.ts';
import { assumption, fails, holds, cannotTell, type Assumption } from './assumption.mts';
import { idTime } from './idTimes.mts';
import type { ListName } from './lists.mts';
import { timeOf, timePaths, valueAt, whyNot } from './observe.mts';
import type { ListReading } from './service.mts';
import { count, literal, say } from './shown.mts';

/** With fewer rows, an order may be a coincidence. */
const MIN_ROWS = 4;

export type Direction = 'newest first' | 'oldest first';

/** What a list is sorted by. */
export type OrderKind = 'creation' | 'last change' | 'both' | 'neither' | 'unclear';

export interface ListOrder {
	kind: OrderKind;
	direction?: Direction;
	/** The key of the time that the rows are sorted by. */
	path?: string[];
}

/** The order of rows, by the times of their creation and their last change. */
export function orderOf(rows: readonly IDataObject[], now: number): ListOrder {
	const { created, changed } = timePaths(rows, now);
	const byCreation = sortedBy(rows, created, now) ?? sortedById(rows, created.length > 0, now);
	const byChange = sortedBy(rows, changed, now);
	if (byCreation?.sorted && byChange?.sorted)
		return { kind: 'both', direction: byCreation.direction, path: byCreation.path };
	if (byCreation?.sorted)
		return { kind: 'creation', direction: byCreation.direction, path: byCreation.path };
	if (byChange?.sorted) {
		const isProven = byCreation?.sorted === false;
		return {
			kind: isProven ? 'last change' : 'unclear',
			direction: byChange.direction,
			path: byChange.path,
		};
	}
	// Without a time of creation, the rows may still be in its order.
	return { kind: byCreation ? 'neither' : 'unclear' };
}

interface Sorted {
	sorted: boolean;
	direction?: Direction;
	path?: string[];
}

/** @returns undefined if no path has enough different times */
function sortedBy(
	rows: readonly IDataObject[],
	paths: string[][],
	now: number,
): Sorted | undefined {
	const all = paths.flatMap((path) => {
		const times = rows
			.map((row) => timeOf(valueAt(row, path), now)?.ms)
			.filter((time) => time !== undefined);
		const direction = directionOf(times);
		return direction === undefined ? [] : [{ path, direction }];
	});
	const found = all.find(({ direction }) => direction !== 'none');
	if (found) return { sorted: true, direction: found.direction as Direction, path: found.path };
	return all.length > 0 ? { sorted: false } : undefined;
}

/** By the times in the IDs, if a time of creation is nowhere else. */
function sortedById(
	rows: readonly IDataObject[],
	hasCreated: boolean,
	now: number,
): Sorted | undefined {
	if (hasCreated) return undefined;
	const times = rows
		.map((row) => idTime(idOf(row) ?? '', now)?.ms)
		.filter((time) => time !== undefined);
	if (times.length < rows.length) return undefined;
	const direction = directionOf(times);
	if (direction === undefined) return undefined;
	return direction === 'none' ? { sorted: false } : { sorted: true, direction };
}

/** @returns undefined if there are too few times, or too few different ones, to show an order */
function directionOf(times: number[]): Direction | 'none' | undefined {
	if (times.length < MIN_ROWS || new Set(times).size < MIN_ROWS) return undefined;
	const pairs = times.slice(1).map((time, index) => time - (times[index] as number));
	if (pairs.every((step) => step <= 0)) return 'newest first';
	return pairs.every((step) => step >= 0) ? 'oldest first' : 'none';
}

interface Readings {
	first: ListReading;
	second: ListReading;
}

/** Whether a list is sorted by creation, read twice. */
export const orderAssumption = (name: ListName, otherwise: string): Assumption =>
	assumption<Readings>({
		id: `${name.replace(/s$/, '')}-order`,
		question: `Is the list of ${name} sorted by creation?`,
		settles: ['contract: the order of lists'],
		otherwise,
		observe: async (service) => ({
			first: await service.largePage(name),
			second: await service.largePage(name, 1),
		}),
		judge({ first, second }, { names }) {
			if (!first.path) return cannotTell(whyNot(first.reading));
			if (first.rows.length < MIN_ROWS)
				return cannotTell(say`${count(first.rows.length, 'row')}, too few to show an order`);
			const { kind, direction, path } = orderOf(first.rows, first.reading.at);
			const key = path ? say` (${names.path(path)})` : say``;
			const again = say`${literal(stability(first, second))}`;
			switch (kind) {
				case 'creation':
					return holds(say`by creation, ${literal(direction ?? 'newest first')}${key}`, again);
				case 'last change':
					return fails(say`by last change, ${literal(direction ?? 'newest first')}${key}`, again);
				case 'both':
					return cannotTell(
						say`${literal(direction ?? 'newest first')}: creation and last change give the same order`,
						again,
					);
				case 'neither':
					return fails(
						hasChanges(first)
							? say`neither by creation nor by last change`
							: say`not by creation; the rows have no time of their last change`,
						again,
					);
				case 'unclear':
					return cannotTell(
						path
							? say`sorted by ${names.path(path)}, ${literal(direction ?? 'newest first')}; the rows have no time of creation to compare with`
							: hasChanges(first)
								? say`not by last change; the rows have no time of creation`
								: say`the rows have no times of creation or change, or too few different ones`,
						again,
					);
			}
		},
	});

const hasChanges = ({ rows, reading }: ListReading): boolean =>
	timePaths(rows, reading.at).changed.length > 0;

/** Whether two readings have the records that they share in the same order. */
function stability(first: ListReading, second: ListReading) {
	if (!second.path) return 'could not be read a second time';
	const before = first.rows.map(idOf);
	const after = second.rows.map(idOf);
	const shared = (ids: (string | undefined)[], others: (string | undefined)[]) => {
		const known = new Set(others);
		return ids.filter((id) => id !== undefined && known.has(id));
	};
	const [one, other] = [shared(before, after), shared(after, before)];
	if (!before.some((id) => id !== undefined))
		return 'the rows have no IDs to compare with a second reading';
	if (one.length === 0) return 'the second reading has other records';
	return one.every((id, index) => id === other[index])
		? 'the same order in a second reading'
		: 'another order in a second reading';
}
