import { shown } from '../../api/access/shown';
import { clock } from '../../api/base/clock';
import { filePart } from '../../descriptions/filePart';
import { type JobWait, jobWait } from '../../descriptions/wait';
import type { Moment } from '../../parameters/dateTime';
import type { Collection } from '../../parameters/collection';
import { type Parameters, NUMBER_COUNTRY } from '../../parameters/parameters';
import type { Batch } from '../../runner/batch';
import { type ChosenTemplate, requiredTemplate } from '../../template/chosen';
import { readVariables } from '../../template/values';
import { readOnceKey } from '../shared/sendOnce';
import type { AudienceKind } from './audience/audience';
import { audienceKind } from './audience/kinds';
import { type Guards, readGuards } from './guards';

/** A broadcast as the user set it up, the same for Create and Preview. */
export interface BroadcastPlan {
	kind: AudienceKind;
	/** What its `read` returned. */
	audience: unknown;
	template: ChosenTemplate;
	/** The values of its variables; undefined if there are none, or if a CSV contains them. */
	components?: unknown[];
	settings: BroadcastSettings;
	/** The chosen time; undefined for now. */
	sendAt?: Moment;
	guards: Guards;
	/** The workflow's: an IANA name. */
	timeZone: string;
	/** Undefined if it is sent in any case. */
	onceKey?: string;
	partName: string;
	/** How to wait for its completion; undefined for not at all. */
	wait?: JobWait;
}

export function readPlan(parameters: Parameters): BroadcastPlan {
	const template = requiredTemplate(parameters);
	const { sendAt, ...settings } = readSettings(parameters);
	const kind = audienceKind(parameters);
	const options = parameters.collection('options');
	return {
		kind,
		template,
		components: kind.hasCsv ? undefined : readVariables(parameters),
		settings,
		sendAt,
		guards: readGuards(parameters, kind),
		timeZone: parameters.n8n.getTimezone(),
		audience: kind.read(parameters),
		onceKey: readOnceKey(parameters, kind.isOfAllItems),
		partName: filePart(options),
		wait: jobWait(options),
	};
}

/** Makes all items one broadcast if each of them contributes to the audience. */
export const batchOf = ({ kind, audience }: BroadcastPlan): Batch<unknown> | undefined =>
	kind.isOfAllItems ? { ...ONE_BROADCAST, input: audience } : undefined;

export const ONE_BROADCAST = {
	key: 'all input items',
	perItem: ['recipient', 'csvColumns', `options ${NUMBER_COUNTRY}`],
	ifDifferent: {
		templateVariables: 'For a value per recipient, choose the audience CSV From Input Items.',
	},
};

const HOUR_S = 3_600;

function readSettings(parameters: Parameters) {
	const options = parameters.collection('options');
	return {
		name: parameters.text('name', 'required'),
		channelId: options.id('channelId'),
		templateCategory: options.option('templateCategory'),
		sendAt: readSendAt(parameters),
		...delivery(options),
	};
}

function readSendAt(parameters: Parameters): Moment | undefined {
	if (parameters.option('scheduleType', 'required') !== 'schedule') return undefined;
	const sendAt = parameters.requiredMoment('sendAt');
	if (sendAt.ms > clock.now()) return sendAt;
	throw parameters.invalid(
		shown`Date and Time is in the past: ${sendAt.iso}`,
		shown`Choose a time in the future. A time without an offset is read in the workflow’s time zone, ${parameters.n8n.getTimezone()}.`,
	);
}

/** A message's time to live is 12 hours to 30 days (API document, section Limits). */
const [MIN_HOURS, MAX_HOURS] = [12, 720];

function delivery(options: Collection) {
	const apiType = options.option('apiType') ?? 'cloud_api';
	if (apiType !== 'marketing_messages') return { apiType };
	const hours = options.number('giveUpAfterHours');
	const messageActivitySharing = options.boolean('messageActivitySharing');
	if (hours !== undefined && !(hours >= MIN_HOURS && hours <= MAX_HOURS)) {
		throw options.invalidValue('giveUpAfterHours', `${MIN_HOURS} to ${MAX_HOURS} hours`, hours);
	}
	const ttlSeconds = hours === undefined ? undefined : Math.round(hours * HOUR_S);
	return { apiType, ttlSeconds, messageActivitySharing: messageActivitySharing ?? false };
}

type BroadcastSettings = Omit<ReturnType<typeof readSettings>, 'sendAt'>;
