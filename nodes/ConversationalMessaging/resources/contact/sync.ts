import { maxWaitMsOrDefault } from '../../descriptions/wait';
import type { Parameters } from '../../parameters/parameters';
import { planned } from '../../runner/operation';
import type { OperationContext } from '../../runner/operationContext';
import type { ItemResults } from '../../runner/output';
import { addressOf, comparableWaId, readContacts, type KnownContact } from './sync/contacts';
import { isUnchanged } from './sync/differences';
import { fields } from './sync/fields';
import { importNewContacts, selectForImport } from './sync/importNewContacts';
import { checkItems, readItem, type SyncItem } from './sync/item';
import { checkLabels, labelsOf } from './sync/labels';
import { contactsOf, matchItems, type Match, type MatchBy } from './sync/match';
import { hidesIdentity, ItemIndex, keysOf } from './sync/indexes';
import { conflictOutcome, numberText, Outcomes } from './sync/outcomes';
import { addToSegment, checkSegment, removeFromSegment } from './sync/segment';
import { onlyId, syncContact, type SyncState } from './sync/writes';

export const sync = planned({
	name: 'Sync',
	value: 'sync',
	action: 'Sync contacts',
	description:
		'Make contacts match the input items. Sends only what differs, and never deletes a contact.',
	endpoint: 'GET /contacts',
	otherEndpoints: [
		'GET /contacts/{id}',
		'POST /contacts',
		'PATCH /contacts/{id}',
		'POST /contacts/{id}/fields',
		'PATCH /contacts/{id}/fields/{fieldId}',
		'GET /segments/{id}',
		'PUT /segments/{id}/members',
		'GET /contacts/imports',
		'GET /contacts/import-template',
		'POST /contacts/import',
		'GET /contacts/imports/{id}',
		'GET /contacts/imports/{id}/errors',
	],
	fields,
	isResumable: true,
	prepare: readPlan,
	batch: ({ item }) => ({ key: 'sync', input: item, check: checkItems }),
	run: syncContacts,
});

interface SyncPlan {
	matchBy: MatchBy;
	/** Add the contacts to this segment. */
	segmentId?: string;
	/** Remove contacts from the segment that no item matches. */
	removeOthers: boolean;
	dryRun: boolean;
	/** From this number of new contacts on, create them with one import job; undefined for never. */
	minNewForImport?: number;
	/** The multipart part of an import. */
	partName: string;
	/** How long to wait for an import, in milliseconds. */
	maxWaitMs: number;
	item: SyncItem;
	/** How many items the node has, synced together or not. */
	inputCount: number;
}

function readPlan(parameters: Parameters): SyncPlan {
	const by = parameters.requiredOption('matchBy') as MatchBy['by'];
	const matchBy: MatchBy =
		by === 'customField' ? { by, label: parameters.required('keyLabel') } : { by };
	const options = parameters.collection('options');
	const clearEmpty = options.boolean('clearEmpty') === true;
	const segmentId = parameters.idIfSet('segmentId');
	const removeOthers = options.boolean('removeFromSegment') === true;
	if (removeOthers && segmentId === undefined)
		throw options.invalid(
			`${options.label('removeFromSegment')} is on, but Segment is empty`,
			'Choose the segment, or remove the option.',
		);
	const dryRun = parameters.requiredBoolean('dryRun');
	const minNewForImport = options.number('minNewForImport');
	if (minNewForImport !== undefined && !(minNewForImport >= 1))
		throw options.invalidValue('minNewForImport', 'a number of 1 or more', minNewForImport);
	const partName = options.text('partName') ?? 'file';
	const maxWaitMs = maxWaitMsOrDefault(options);
	const settings = {
		[parameters.label('matchBy')]: by,
		[parameters.label('keyLabel')]: matchBy.by === 'customField' ? matchBy.label : undefined,
		[parameters.label('segmentId')]: segmentId,
		[parameters.label('dryRun')]: dryRun,
		[options.label('clearEmpty')]: clearEmpty,
		[options.label('minNewForImport')]: minNewForImport,
		[options.label('partName')]: partName,
		[options.label('maxWaitMinutes')]: maxWaitMs,
		[options.label('removeFromSegment')]: removeOthers,
	};
	return {
		matchBy,
		segmentId,
		removeOthers,
		dryRun,
		minNewForImport,
		partName,
		maxWaitMs,
		item: readItem(parameters, matchBy, clearEmpty, settings),
		inputCount: parameters.context.getInputData().length,
	};
}

/**
 * Reads all contacts, finds the contact of each item, and sends what differs: what is interrupted is completed by the
 * next run, and a run after a complete one sends nothing.
 */
async function syncContacts(
	context: OperationContext,
	plan: SyncPlan,
	items: SyncItem[],
): Promise<ItemResults> {
	const { matchBy, dryRun, segmentId } = plan;
	const { contacts, isComplete } = await readContacts(context);
	if (segmentId !== undefined) await checkSegment(context, segmentId);
	const labels = labelsOf(contacts);
	checkLabels(context, matchBy, items, labels);
	noticeHiddenNames(context, items, contacts);
	const matches = matchItems(items, contacts, matchBy);
	const outcomes = new Outcomes(items, context.continuesOnFail);
	const state: SyncState = {
		matchBy,
		dryRun,
		labels,
		listed: new Set(contacts.flatMap(({ id }) => id ?? [])),
		imported: new Set(),
		claimed: claimedBy(matches),
		findsOtherWaId: new Map(),
		singleReadShowsMore: true,
	};

	const toImport = isComplete
		? await selectForImport(context, plan.minNewForImport, items, matches)
		: [];
	await syncEach(context, state, items, matches, outcomes, new Set(toImport));
	if (toImport.length > 0) await importNewContacts(context, state, plan, items, toImport, outcomes);

	let removed: number | undefined;
	if (segmentId !== undefined && !outcomes.isAborted()) {
		const count = items.length;
		const members = await addToSegment(context, { segmentId, dryRun, contacts, outcomes, count });
		if (plan.removeOthers && !outcomes.isAborted()) {
			const kept = keptContacts(matchBy, items, contacts, matches, outcomes);
			removed = canRemove(context, plan, count, isComplete)
				? await removeFromSegment(context, segmentId, members, kept, dryRun)
				: undefined;
		}
	}
	noticeSummary(context, outcomes, dryRun, removed);
	return outcomes.toResults(dryRun);
}

const claimedBy = (matches: Match[]): Set<string> =>
	new Set(matches.flatMap((match) => (match.kind === 'found' ? (match.contact.id ?? []) : [])));

/** Syncs the items one by one, except those that are imported. */
async function syncEach(
	context: OperationContext,
	state: SyncState,
	items: SyncItem[],
	matches: Match[],
	outcomes: Outcomes,
	imported: Set<number>,
): Promise<void> {
	const open: number[] = [];
	for (const [position, match] of matches.entries()) {
		if (imported.has(position)) continue;
		const isSame =
			match.kind === 'found' &&
			isUnchanged(items[position] as SyncItem, match.contact, state.matchBy, state.labels);
		if (match.kind === 'conflict') {
			outcomes.set(position, conflictOutcome(match.reason, onlyId(match.contacts)));
		} else if (isSame) {
			const { id: contactId, segmentIds } = match.contact;
			outcomes.set(position, { result: 'unchanged', contactId, segmentIds, changes: [] });
		} else {
			open.push(position);
		}
	}
	await context.forEach(open, async (position, itemContext) => {
		await outcomes.attempt(itemContext, [position], async () => {
			const [item, match] = [items[position] as SyncItem, matches[position] as Match];
			outcomes.set(position, await syncContact(itemContext, state, item, match));
		});
	});
}

/**
 * The contacts that stay in the segment: those of all items, also of conflicts. A contact with an address of an item is
 * one of them, whatever the item matched, and so is every contact that may be that of an item without a contact: its key
 * differs only in spelling, or the contact does not show what identifies it.
 */
function keptContacts(
	matchBy: MatchBy,
	items: SyncItem[],
	contacts: KnownContact[],
	matches: Match[],
	outcomes: Outcomes,
): Set<string> {
	const kept = new Set<string>();
	const withoutContact: SyncItem[] = [];
	for (const [position, match] of matches.entries()) {
		const outcome = outcomes.get(position);
		const known = [...contactsOf(match).map(({ id }) => id), outcome?.contactId];
		for (const id of known) if (id !== undefined) kept.add(id);
		const isKnown = outcome?.result === 'created' || known.some((id) => id !== undefined);
		if (!isKnown) withoutContact.push(items[position] as SyncItem);
	}
	const waIds = new Set(items.map(({ address }) => comparableWaId(address)));
	const igIds = new Set(items.map(({ address }) => address.igId));
	for (const ids of [waIds, igIds]) ids.delete(undefined);
	const { bySpelling } = new ItemIndex(withoutContact);
	for (const contact of contacts) {
		const address = addressOf(contact);
		const isKept =
			waIds.has(comparableWaId(address)) ||
			igIds.has(address.igId) ||
			(withoutContact.length > 0 && hidesIdentity(contact, matchBy)) ||
			keysOf(contact, matchBy).some((key) => bySpelling.get(key).length > 0);
		if (contact.id !== undefined && isKept) kept.add(contact.id);
	}
	return kept;
}

/** Whether it is known which members of the segment no item matches. If not, the user gets a notice. */
function canRemove(
	context: OperationContext,
	{ inputCount }: SyncPlan,
	count: number,
	isComplete: boolean,
): boolean {
	if (count === inputCount && isComplete) return true;
	const reason = isComplete
		? `some input items (${inputCount - count} of ${inputCount}) could not be used, or belong to another token`
		: 'the list of contacts changed while being read';
	context.notify(`No contact was removed from the segment, because ${reason}`);
	return false;
}

/** The labels of the fields that a contact may hide. */
const NAMES = { name: 'Name', customName: 'Custom Name', igUsername: 'Instagram Username' };

/** Names that contacts never show cannot be compared, so they are sent in every run. */
function noticeHiddenNames(
	context: OperationContext,
	items: SyncItem[],
	contacts: KnownContact[],
): void {
	if (contacts.length === 0) return;
	for (const [name, label] of Object.entries(NAMES)) {
		const isWanted = items.some(({ values }) =>
			values.some(({ field, isCustom }) => field === name && !isCustom),
		);
		if (isWanted && !contacts.some(({ record }) => name in record)) {
			context.notify(
				`The service does not return ${label} with its contacts, so it cannot be compared and is sent for every item`,
			);
		}
	}
}

function noticeSummary(
	context: OperationContext,
	outcomes: Outcomes,
	dryRun: boolean,
	removed: number | undefined,
): void {
	const left = removed === undefined ? '' : `, ${numberText(removed)} removed from the segment`;
	const text = `${outcomes.summary()}${left}`;
	context.notify(
		dryRun ? `Dry run: nothing was changed. A real run gives: ${text}` : `Sync: ${text}`,
	);
}
