import { shown } from '../../api/access/shown';
import { inTurns } from '../../api/base/concurrency';
import { type Parameters, NUMBER_COUNTRY } from '../../parameters/parameters';
import { planned } from '../../runner/operation';
import type { OperationContext } from '../../runner/operationContext';
import type { ItemResults } from '../../runner/output';
import { withLock } from '../shared/lock';
import { CUSTOM_FIELD_NAMES } from './customFields';
import { addToSegment, removeOthers } from './sync/changeSegment';
import { whyIncomparable } from './sync/comparable';
import { readContacts } from './sync/contacts';
import { type Decision, decide } from './sync/decide';
import { fields } from './sync/fields';
import { type MatchBy, type SyncItem, readItem } from './sync/item';
import { type Match, matchItems } from './sync/match';
import { Outcomes, numberText } from './sync/outcomes';
import { performAll } from './sync/perform';
import { readSegment } from './sync/segment';

export const sync = planned({
	name: 'Sync',
	value: 'sync',
	action: 'Sync contacts',
	description:
		'Make contacts match the input items. Sends only what differs, and never deletes a contact.',
	builderHint:
		'For a list from another system, such as a CRM: pass all of its contacts as input items at once, not in a loop. With a segment, contacts that match no item are removed from it. The default of dryRun is true, for a first run that changes nothing: set it to false once the user has seen the result. For single contacts, use upsert.',
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
		perItem: [
			'keyValue',
			'waId',
			'igId',
			'name',
			...CUSTOM_FIELD_NAMES,
			'additionalFields',
			`options ${NUMBER_COUNTRY}`,
		],
	}),
	// What a run has read would be wrong while another one writes: both would add the same custom fields.
	run: async (context, plan, inputs) => {
		const run = async () => await syncContacts(context, plan, inputs);
		const { key, signal } = context.client;
		return plan.dryRun ? await run() : await withLock(`sync ${key}`, run, signal);
	},
});

type SyncPlan = ReturnType<typeof readPlan>;

function readPlan(parameters: Parameters) {
	const by = parameters.option('matchBy', 'required') as MatchBy['by'];
	const matchBy: MatchBy =
		by === 'customField' ? { by, label: parameters.id('keyLabel', 'required') } : { by };
	const options = parameters.collection('options');
	const segmentId = parameters.id('segmentId', 'limit');
	const removesOthers = options.boolean('removeFromSegment') === true;
	if (removesOthers && segmentId === undefined) {
		throw options.invalid(
			shown`${options.label('removeFromSegment')} is on, but Segment is empty`,
			'Choose the segment, or remove the option.',
		);
	}
	const dryRun = parameters.boolean('dryRun', 'required');
	const kind = options.boolean('clearEmpty') === true ? 'clearing' : 'mayBeEmpty';
	const item = readItem(parameters, matchBy, kind);
	return { matchBy, segmentId, removesOthers, dryRun, item };
}

/**
 * Reads all contacts, finds the contact of each item, decides what differs, and sends it: what is interrupted is completed
 * by the next run, and a run after a complete one sends nothing. All lists are read before anything is written. A dry run
 * ends after the decisions.
 */
async function syncContacts(
	context: OperationContext,
	{ matchBy, segmentId, removesOthers, dryRun }: SyncPlan,
	items: SyncItem[],
): Promise<ItemResults> {
	const list = await readContacts(context);
	const refusal = whyIncomparable(matchBy, items, list);
	if (refusal) throw context.invalid(refusal.reason, refusal.step);
	const segment = segmentId === undefined ? undefined : await readSegment(context, segmentId);

	const matches = await matchItems(items, list.contacts, matchBy);
	const decisions = new Map<SyncItem, Decision>();
	for await (const [item, match] of inTurns(matches))
		decisions.set(item, decide(item, match, matchBy));
	const outcomes = new Outcomes(items, context.n8n.continueOnFail());
	for (const [item, { outcome, action }] of decisions)
		if (dryRun || !action) outcomes.set(item, outcome);

	const { isComplete } = list;
	if (!dryRun) {
		const state = {
			matchBy,
			hasSegment: segment !== undefined,
			isComplete,
			claimed: claimedBy(matches.values()),
		};
		await performAll(context, state, decisions, outcomes);
	}
	if (segment && !outcomes.isAborted) await addToSegment(context, segment, outcomes, dryRun);
	const removed =
		segment && removesOthers && !outcomes.isAborted
			? await removeOthers(context, segment, outcomes, { dryRun, items, isComplete })
			: undefined;
	const left = removed === undefined ? '' : `, ${numberText(removed)} removed from the segment`;
	const summary = `${outcomes.summary()}${left}`;
	context.notify(
		dryRun
			? shown`Dry run: nothing was changed. A real run would result in: ${summary}`
			: shown`Sync: ${summary}`,
	);
	return outcomes.toResults(dryRun);
}

const claimedBy = (matches: Iterable<Match>): Set<string> =>
	new Set(
		[...matches].flatMap((match) => (match.kind === 'found' ? (match.contact.id ?? []) : [])),
	);
