import type { IDataObject } from 'n8n-workflow';
import { statusOf } from '../api/answer';
import { MAX_IN_FLIGHT } from '../api/gate';
import { inParallel } from '../api/parallel';
import { doubtful } from './compare';
import type { Finding, Kind, Reader, Sighting, Watched } from './kind';
import type { Look } from './reading';
import type { Memory } from './memory';

/** How many records that left their list one poll looks up. The others stay in doubt until the next one. */
export const LOOK_UPS = 100;

/** How many it looks up of those that no list shows. They take turns. */
export const UNLISTED_LOOK_UPS = 10;

export interface Confirmed {
	/** With the whole record, as its details show it. */
	seen: Sighting[];
	gone: string[];
	outside: string[];
}

/** Which of the known records that were not seen one poll looks up, by their IDs. */
export function inDoubt(look: Look, { known, turn }: Memory): string[] {
	const seen = look.keys;
	const left = doubtful(known, seen, (status) => look.wasListed(status));
	const unlisted = doubtful(known, seen, (status) => look.cannotBeListed(status));
	const start = unlisted.length === 0 ? 0 : (turn * UNLISTED_LOOK_UPS) % unlisted.length;
	const rotated = [...unlisted.slice(start), ...unlisted.slice(0, start)];
	return [...left.slice(0, LOOK_UPS), ...rotated.slice(0, UNLISTED_LOOK_UPS)];
}

/** Looks records up, one by one. What cannot be told now stays as it is known. */
export async function confirm(
	reader: Reader,
	{ kind, narrowing }: Watched,
	look: Look,
	ids: string[],
): Promise<Confirmed> {
	const confirmed: Confirmed = { seen: [], gone: [], outside: [] };
	await inParallel(ids, MAX_IN_FLIGHT, async (id) => {
		if (look.failure) return;
		const lookUp = kind.lookUp ?? ((...rest) => lookUpRecord(kind, ...rest));
		const finding = await look.try(async () => await lookUp(reader, id, narrowing));
		if (finding?.is === 'found') confirmed.seen.push(finding.sighting);
		if (finding?.is === 'gone') confirmed.gone.push(id);
		if (finding?.is === 'outside' || (finding?.is === 'found' && finding.outside))
			confirmed.outside.push(id);
	});
	return confirmed;
}

async function lookUpRecord(
	kind: Kind,
	reader: Reader,
	id: string,
	narrowing: IDataObject,
): Promise<Finding> {
	const record = await reader.record(id);
	if (!record) return { is: 'gone' };
	const status = statusOf(record);
	if (status === undefined) return { is: 'untold' };
	const sighting = { id, status: kind.spell(status), record };
	return { is: 'found', sighting, outside: isOutside(record, narrowing) };
}

/** Whether a record says that it is not among what the list was narrowed to. */
function isOutside(record: IDataObject, narrowing: IDataObject): boolean {
	return Object.entries(narrowing).some(
		([name, value]) => record[name] !== undefined && String(record[name]) !== String(value),
	);
}
