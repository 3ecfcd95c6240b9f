import { clock } from '../../api/clock';
import type { ChosenTemplate, FilledVariables, Reject } from '../../parameters/chosenTemplate';
import { chosenTemplate, filledVariables } from '../../parameters/chosenTemplate';
import type { Parameters } from '../../parameters/parameters';
import type { ReadMoment, Settings } from '../../runner/oldBatch';
import type { Audience } from './audience';
import { readAudience } from './audience';
import { CSV_AUDIENCES } from './fields';
import type { Guards } from './guards';
import { readGuards } from './guards';

/** A broadcast as the user set it up, the same for Create and Preview. */
export interface BroadcastPlan {
	template: ChosenTemplate;
	/** The values of its variables; undefined if a CSV contains them. */
	components?: unknown[];
	settings: BroadcastSettings;
	audience: Audience;
	guards: Guards;
	/** The workflow's time zone: an IANA name. */
	timeZone: string;
	/** Whether Create goes on without items that have no valid phone number. */
	continuesOnFail: boolean;
	/** Everything that must be the same in all items of one broadcast, by the names on screen. */
	sameForAll: Settings;
}

/**
 * Reads the parameters of a broadcast.
 *
 * @param reject called for values of the audience, the variables and the schedule that cannot be sent. Create stops at
 *   the first one, Preview collects them.
 * @throws NodeOperationError for any other parameter that cannot be used
 */
export function readPlan(parameters: Parameters, reject: Reject): BroadcastPlan {
	const template = chosenTemplate(parameters);
	const settings = readSettings(parameters, reject);
	const isCsv = CSV_AUDIENCES.includes(parameters.requiredOption('audience'));
	const variables = isCsv ? { byName: {} } : filledVariables(parameters, reject);
	return {
		template,
		components: variables.components,
		settings,
		audience: readAudience(parameters, reject),
		guards: readGuards(parameters),
		timeZone: parameters.context.getTimezone(),
		continuesOnFail: parameters.context.continueOnFail(),
		sameForAll: settingsByName(parameters, settings, template, variables.byName),
	};
}

const HOUR_S = 3_600;

/** Everything but template and audience. @throws NodeOperationError */
function readSettings(parameters: Parameters, reject: Reject) {
	const options = parameters.collection('options');
	return {
		name: parameters.required('name'),
		channelId: options.idIfSet('channelId'),
		templateCategory: options.option('templateCategory'),
		...schedule(parameters, reject),
		...delivery(parameters),
	};
}

function schedule(
	parameters: Parameters,
	reject: Reject,
): { scheduleType: string; sendAt?: ReadMoment } {
	const scheduleType = parameters.requiredOption('scheduleType');
	if (scheduleType !== 'schedule') return { scheduleType };
	const readAt = clock.now();
	const sendAt = { ...parameters.requiredMoment('sendAt'), readAt };
	if (sendAt.ms <= readAt) {
		reject(
			parameters.invalid(
				`Date and Time is in the past: ${sendAt.iso}`,
				`Choose a time in the future. A time without an offset is read in the workflow’s time zone, ${parameters.context.getTimezone()}.`,
			),
		);
	}
	return { scheduleType, sendAt };
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

/** Everything that must be the same in all items of one broadcast, by the names on screen. */
function settingsByName(
	parameters: Parameters,
	values: BroadcastSettings & { ttlSeconds?: number; messageActivitySharing?: boolean },
	template: ChosenTemplate,
	variables: FilledVariables['byName'],
): Settings {
	const options = parameters.collection('options');
	const inner = Object.entries(variables).map(([name, value]) => [
		`${parameters.label('templateVariables')}, ${name}`,
		value,
	]);
	return {
		[parameters.label('audience')]: parameters.requiredOption('audience'),
		[parameters.label('name')]: values.name,
		[options.label('channelId')]: values.channelId,
		[parameters.label('templateId')]: Object.values(template).join(' '),
		...(Object.fromEntries(inner) as Settings),
		[options.label('templateCategory')]: values.templateCategory,
		[parameters.label('scheduleType')]: values.scheduleType,
		[parameters.label('sendAt')]: values.sendAt,
		[parameters.label('apiType')]: values.apiType,
		[parameters.label('ttl')]: values.ttlSeconds,
		[parameters.label('messageActivitySharing')]: values.messageActivitySharing,
		[options.label('excludeSegmentId')]: options.idIfSet('excludeSegmentId'),
		[options.label('maxRecipients')]: options.number('maxRecipients'),
		[options.label('quietHours')]: options.text('quietHours'),
		[options.label('recipientTimeZone')]: options.text('recipientTimeZone'),
		[options.label('skipRepeatedNumbers')]: options.boolean('skipRepeatedNumbers'),
		[options.label('partName')]: options.text('partName'),
		[options.label('waitForCompletion')]: options.boolean('waitForCompletion'),
		[options.label('maxWaitMinutes')]: options.number('maxWaitMinutes'),
	};
}
