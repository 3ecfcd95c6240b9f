import type { IDataObject } from 'n8n-workflow';
import { forEachConcurrent } from '../api/concurrency';
import type { Change } from './diff';
import { READS_AT_ONCE } from './limits';
import type { Lister } from './lister';
import { isRejectedRecord } from './lister';
import type { Searched } from './search';
import type { Subscription } from './subscription';

/**
 * Adds the full records to the changes that become events, if requested. A change whose record could not be fetched
 * is withheld, so that the next poll finds it again.
 */
export async function readDetails(
	lister: Lister,
	{ details }: Subscription,
	{ changes, observation: { inFull } }: Searched,
	isWanted: (change: Change) => boolean,
): Promise<{ changes: Change[]; withheld: ReadonlySet<string> }> {
	const wanted = details
		? changes.filter((change) => isWanted(change) && !inFull.has(change.id))
		: [];
	const records = new Map<string, IDataObject>();
	await forEachConcurrent(wanted, READS_AT_ONCE, async ({ id, record }) => {
		const read = await lister.attempt(
			async () =>
				await lister.record(id).catch((error: unknown) => {
					if (isRejectedRecord(error)) return undefined;
					throw error;
				}),
		);
		// A record that was deleted, or whose lookup was rejected, did change: only its row is available.
		if (!lister.failure || read) records.set(id, read ?? record);
	});
	const withheld = new Set(wanted.map(({ id }) => id).filter((id) => !records.has(id)));
	return {
		changes: changes
			.filter(({ id }) => !withheld.has(id))
			.map((change) => ({ ...change, record: records.get(change.id) ?? change.record })),
		withheld,
	};
}
