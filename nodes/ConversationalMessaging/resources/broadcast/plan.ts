import { clock } from '../../api/clock';
import type { ChosenTemplate } from '../../parameters/chosenTemplate';
import { chosenTemplate, filledVariables } from '../../parameters/chosenTemplate';
import type { Moment } from '../../parameters/dateTime';
import type { Parameters } from '../../parameters/parameters';
import type { Batch } from '../../runner/batch';
import type { AudienceInput } from './audience/audience';
import type { ChosenAudience } from './audience/readAudience';
import { readAudience } from './audience/readAudience';
import { CSV_AUDIENCES } from './fields';
import type { Guards } from './guards';
import { readGuards } from './guards';

/** A broadcast as the user set it up, the same for Create and Preview. */
export interface BroadcastPlan extends ChosenAudience {
	template: ChosenTemplate;
	/** The values of its variables; undefined if there are none, or if a CSV contains them. */
	components?: unknown[];
	settings: BroadcastSettings;
	guards: Guards;
	/** The workflow's time zone: an IANA name. */
	timeZone: string;
}

/** @throws NodeOperationError for a parameter */
export function readPlan(parameters: Parameters): BroadcastPlan {
	const template = chosenTemplate(parameters);
	const settings = readSettings(parameters);
	const isCsv = CSV_AUDIENCES.includes(parameters.requiredOption('audience'));
	return {
		template,
		components: isCsv ? undefined : filledVariables(parameters).components,
		settings,
		guards: readGuards(parameters),
		timeZone: parameters.context.getTimezone(),
		...readAudience(parameters),
	};
}

/** Makes all items that contribute recipients one broadcast. */
export const batchOf = (plan: BroadcastPlan): Batch<AudienceInput> | undefined =>
	plan.input && { ...ONE_BROADCAST, input: plan.input };

export const ONE_BROADCAST = { key: 'all input items', perItem: ['recipient'] };

const HOUR_S = 3_600;

/** Everything but template and audience. @throws NodeOperationError */
function readSettings(parameters: Parameters) {
	const options = parameters.collection('options');
	return {
		name: parameters.required('name'),
		channelId: options.idIfSet('channelId'),
		templateCategory: options.option('templateCategory'),
		...schedule(parameters),
		...delivery(parameters),
	};
}

function schedule(parameters: Parameters): { scheduleType: string; sendAt?: Moment } {
	const scheduleType = parameters.requiredOption('scheduleType');
	if (scheduleType !== 'schedule') return { scheduleType };
	const sendAt = parameters.requiredMoment('sendAt');
	if (sendAt.ms > clock.now()) return { scheduleType, sendAt };
	throw parameters.invalid(
		`Date and Time is in the past: ${sendAt.iso}`,
		`Choose a time in the future. A time without an offset is read in the workflow’s time zone, ${parameters.context.getTimezone()}.`,
	);
}

/** A message's time to live is 12 hours to 30 days (API document, section Limits). */
function delivery(parameters: Parameters) {
	const apiType = parameters.requiredOption('apiType');
	if (apiType !== 'marketing_messages') return { apiType };
	const ttl = parameters.number('ttl') ?? 0;
	const ttlSeconds = Math.round(
		ttl * HOUR_S * (parameters.requiredOption('ttlUnit') === 'days' ? 24 : 1),
	);
	if (ttl !== 0 && !(ttlSeconds >= 12 * HOUR_S && ttlSeconds <= 30 * 24 * HOUR_S)) {
		throw parameters.invalid(
			`Give Up After is out of range: ${ttl} ${parameters.requiredOption('ttlUnit')}`,
			'Enter 12 hours to 30 days, or 0 to let the service decide.',
		);
	}
	const messageActivitySharing = parameters.requiredBoolean('messageActivitySharing');
	return { apiType, ttlSeconds: ttlSeconds || undefined, messageActivitySharing };
}

export type BroadcastSettings = ReturnType<typeof readSettings>;
