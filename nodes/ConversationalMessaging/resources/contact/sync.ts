import type { Parameters } from '../../parameters/parameters';
import { planned } from '../../runner/operation';
import type { OperationContext } from '../../runner/operationContext';
import type { ItemResults } from '../../runner/output';
import { withoutUndefined } from '../../parameters/values';
import { checkFields, noticeHiddenNames, noticeManyNew } from './sync/checks';
import { readContacts } from './sync/contacts';
import { fields } from './sync/fields';
import type { InvalidItem, MatchBy, SyncItem } from './sync/item';
import { readAnyItem, readItem } from './sync/item';
import { matchItems, type Match } from './sync/match';
import { numberText, Outcomes, type Outcome } from './sync/outcomes';
import { addToSegment, readSegment, removeFromSegment, type Segment } from './sync/segment';
import { taskOf, type SyncState } from './sync/writes';

export const sync = planned({
	name: 'Sync',
	value: 'sync',
	action: 'Sync contacts',
	description:
		'Make contacts match the input items. Sends only what differs, and never deletes a contact.',
	builderHint:
		'For a list from another system, such as a CRM: pass all of its contacts as input items at once, not in a loop. With a segment, contacts that match no item are removed from it. Suggest a first run with dryRun. For single contacts, use upsert.',
	endpoint: 'GET /contacts',
	otherEndpoints: [
		'GET /contacts/{id}',
		'POST /contacts',
		'PATCH /contacts/{id}',
		'POST /contacts/{id}/fields',
		'PATCH /contacts/{id}/fields/{fieldId}',
		'GET /segments/{id}',
		'PUT /segments/{id}/members',
	],
	fields,
	returnsNoRecords: true,
	isResumable: true,
	prepare: readPlan,
	batch: ({ item }) => ({
		key: 'sync',
		input: item,
		perItem: ['keyValue', 'waId', 'igId', 'name', 'customFields', 'additionalFields'],
	}),
	run: syncContacts,
});

interface SyncPlan {
	matchBy: MatchBy;
	/** Add the contacts to this segment. */
	segmentId?: string;
	/** Remove contacts from the segment that no item matches. */
	removeOthers: boolean;
	dryRun: boolean;
	item: SyncItem | InvalidItem;
}

function readPlan(parameters: Parameters): SyncPlan {
	const by = parameters.requiredOption('matchBy') as MatchBy['by'];
	const matchBy: MatchBy =
		by === 'customField' ? { by, label: parameters.required('keyLabel') } : { by };
	const options = parameters.collection('options');
	const segmentId = parameters.idIfSet('segmentId');
	const removeOthers = options.boolean('removeFromSegment') === true;
	if (removeOthers && segmentId === undefined) {
		throw options.invalid(
			`${options.label('removeFromSegment')} is on, but Segment is empty`,
			'Choose the segment, or remove the option.',
		);
	}
	const dryRun = parameters.requiredBoolean('dryRun');
	const clearEmpty = options.boolean('clearEmpty') === true;
	const read = () => readItem(parameters, matchBy, clearEmpty);
	const item = dryRun ? readAnyItem(parameters, KEY_FIELDS[by], read) : read();
	return { matchBy, segmentId, removeOthers, dryRun, item };
}

/** The field with what identifies the contact. */
const KEY_FIELDS = { waId: 'waId', igId: 'igId', customField: 'keyValue' } as const;

/**
 * Reads all contacts, finds the contact of each item, and sends what differs: what is interrupted is completed by the
 * next run, and a run after a complete one sends nothing. All lists are read before anything is written.
 */
async function syncContacts(
	context: OperationContext,
	plan: SyncPlan,
	inputs: (SyncItem | InvalidItem)[],
): Promise<ItemResults> {
	const items = inputs.filter((input): input is SyncItem => !('invalid' in input));
	const { matchBy, dryRun, segmentId } = plan;
	const list = await readContacts(context);
	const segment =
		segmentId === undefined ? undefined : await readSegment(context, segmentId, list.contacts);
	checkFields(context, matchBy, items, list);
	noticeHiddenNames(context, items, list);
	const matches = matchItems(items, list.contacts, matchBy);
	noticeManyNew(context, matches);

	const outcomes = new Outcomes(items, context.continuesOnFail);
	await syncEach(
		context,
		{
			matchBy,
			dryRun,
			hasSegment: segment !== undefined,
			isComplete: list.isComplete,
			claimed: claimedBy(matches),
		},
		items,
		matches,
		outcomes,
	);
	const removed =
		segment && (await syncSegment(context, plan, segment, outcomes, items, list.isComplete));
	noticeSummary(context, outcomes, dryRun, inputs.length - items.length, removed);
	return withInvalid(inputs, outcomes.toResults(dryRun));
}

/** The results of all items, with the invalid ones in their places. */
function withInvalid(inputs: (SyncItem | InvalidItem)[], { results }: ItemResults): ItemResults {
	const others = results.values();
	return {
		results: inputs.map((input) => {
			if (!('invalid' in input)) return others.next().value;
			const { key, name, invalid: reason } = input;
			return { output: { json: withoutUndefined({ result: 'invalid', key, name, reason }) } };
		}),
	};
}

const claimedBy = (matches: Match[]): Set<string> =>
	new Set(matches.flatMap((match) => (match.kind === 'found' ? (match.contact.id ?? []) : [])));

async function syncEach(
	context: OperationContext,
	state: SyncState,
	items: SyncItem[],
	matches: Match[],
	outcomes: Outcomes,
): Promise<void> {
	const toSend: [number, (context: OperationContext) => Promise<Outcome>][] = [];
	for (const [position, match] of matches.entries()) {
		const task = taskOf(state, items[position] as SyncItem, match);
		if ('send' in task) toSend.push([position, task.send]);
		else outcomes.set(position, task.outcome);
	}
	await context.forEach(toSend, async ([position, send], itemContext) => {
		await outcomes.attempt(itemContext, position, async () => await send(itemContext));
	});
}

/** @returns how many contacts were removed from the segment; undefined if that was not tried */
async function syncSegment(
	context: OperationContext,
	{ dryRun, removeOthers }: SyncPlan,
	segment: Segment,
	outcomes: Outcomes,
	items: SyncItem[],
	isComplete: boolean,
): Promise<number | undefined> {
	if (!outcomes.isAborted) await addToSegment(context, segment, outcomes, dryRun);
	if (!removeOthers || outcomes.isAborted) return undefined;
	const reason = segment.showsIds
		? reasonToRemoveNobody(context, outcomes, items, isComplete)
		: 'the service does not show the IDs of all members';
	if (reason === undefined) return await removeFromSegment(context, segment, outcomes, dryRun);
	context.notify(`No contact was removed from the segment, because ${reason}`);
	return undefined;
}

/** Why it is not known which members of the segment no item matches; undefined if it is. */
function reasonToRemoveNobody(
	context: OperationContext,
	outcomes: Outcomes,
	items: SyncItem[],
	isComplete: boolean,
): string | undefined {
	const inputCount = context.n8n.getInputData().length;
	if (items.length < inputCount)
		return `some input items (${inputCount - items.length} of ${inputCount}) could not be used, or belong to another token`;
	if (!isComplete) return 'the list of contacts is incomplete';
	if (outcomes.isUnsettled)
		return 'some items are conflicts, failed, or could not be added to the segment. Resolve them, then run Sync again';
	const isUnknown = outcomes
		.entries()
		.some(([, { result, contactId }]) => result !== 'created' && contactId === undefined);
	return isUnknown ? 'the service did not return the IDs of all contacts' : undefined;
}

function noticeSummary(
	context: OperationContext,
	outcomes: Outcomes,
	dryRun: boolean,
	invalid: number,
	removed: number | undefined,
): void {
	const left = removed === undefined ? '' : `, ${numberText(removed)} removed from the segment`;
	const unusable = invalid === 0 ? '' : `, ${numberText(invalid)} invalid`;
	const text = `${outcomes.summary()}${unusable}${left}`;
	context.notify(
		dryRun ? `Dry run: nothing was changed. A real run would result in: ${text}` : `Sync: ${text}`,
	);
}
