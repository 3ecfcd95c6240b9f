import type { OperationContext } from '../../../runner/operationContext';
import { readContacts } from './contacts';
import { differencesForNew } from './differences';
import type { ImportSettings } from './import';
import { importContacts, rejectionReasons } from './import';
import type { SyncItem } from './item';
import { matchItems, type Match } from './match';
import type { Outcomes } from './outcomes';
import { toChanges } from './outcomes';
import type { SyncState } from './writes';
import { findByAddress, markNew, syncContact, updateUnlisted } from './writes';

/** How many of the new contacts are looked up before an import. */
const SAMPLE = 5;

/**
 * The positions of the new contacts, if there are enough of them for an import. An import does not look up each of them
 * first, so a few are: if the service has one of these, its list does not show all contacts.
 */
export async function selectForImport(
	context: OperationContext,
	minNewForImport: number | undefined,
	items: SyncItem[],
	matches: Match[],
): Promise<number[]> {
	const fresh = [...matches.keys()].filter((position) => matches[position]?.kind === 'new');
	if (minNewForImport === undefined || fresh.length === 0 || fresh.length < minNewForImport)
		return [];
	const step = Math.ceil(fresh.length / SAMPLE);
	for (const position of fresh.filter((_position, index) => index % step === 0)) {
		const found = await findByAddress(context, (items[position] as SyncItem).address);
		if (found.length === 0) continue;
		context.notify(
			'The list of contacts does not contain all contacts, so new ones are created one by one instead of by an import',
		);
		return [];
	}
	return fresh;
}

/** Creates contacts with one import job, and sets what the import did not set. */
export async function importNewContacts(
	context: OperationContext,
	state: SyncState,
	settings: ImportSettings,
	items: SyncItem[],
	positions: number[],
	outcomes: Outcomes,
): Promise<void> {
	const { matchBy, dryRun } = state;
	const newItems = positions.map((position) => items[position] as SyncItem);
	const created = (item: SyncItem) => toChanges(differencesForNew(item, matchBy));
	if (dryRun) {
		for (const position of positions) {
			const changes = created(items[position] as SyncItem);
			outcomes.set(position, { result: 'created', changes });
		}
		return;
	}
	await outcomes.attempt(context, positions, async () => {
		const job = await importContacts(context, newItems, settings);
		if (job.state === 'pending') {
			const { reason, id: importId } = job;
			for (const position of positions)
				outcomes.set(position, { result: 'pending', changes: [], reason, importId });
			return;
		}
		state.imported = job.labels;
		const contacts = (await readContacts(context)).contacts.map((contact) =>
			markNew(state, contact),
		);
		const matches = matchItems(newItems, contacts, matchBy);
		let reasons: Promise<Map<string, string>> | undefined;
		await context.forEach([...positions.entries()], async ([index, position], one) => {
			await outcomes.attempt(one, [position], async () => {
				const item = items[position] as SyncItem;
				const match = matches[index] as Match;
				const unlisted = match.kind === 'new' ? await findByAddress(one, item.address) : [];
				const found = unlisted.map((contact) => markNew(state, contact));
				if (match.kind === 'new' && found.length === 0) {
					reasons ??= rejectionReasons(context, job.id);
					throw notImported(context, item, await reasons);
				}
				const outcome =
					found.length > 0
						? await updateUnlisted(one, state, item, found)
						: await syncContact(one, state, item, match);
				const result = outcome.result === 'conflict' ? 'conflict' : 'created';
				const changes = result === 'created' ? created(item) : [];
				outcomes.set(position, { ...outcome, result, changes, importId: job.id });
			});
		});
	});
}

/** The error for a contact that the import should have created. */
function notImported(
	context: OperationContext,
	{ address: { waId, igId }, key }: SyncItem,
	reasons: Map<string, string>,
) {
	const reason = [waId, igId].map((id) => reasons.get(id ?? '')).find((text) => text !== undefined);
	return context.invalid(
		`The import ended without creating the contact ${key}${reason === undefined ? '' : `: ${reason}`}`,
		'Correct its values, and run the node again.',
	);
}
