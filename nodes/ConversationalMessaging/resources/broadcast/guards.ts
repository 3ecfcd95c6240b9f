import type { INodeProperties } from 'n8n-workflow';
import { shown } from '../../api/access/shown';
import { numberField, textField, toggleField } from '../../descriptions/basicFields';
import { entriesField } from '../../descriptions/entries';
import { ifSet } from '../../descriptions/collections';
import { locator } from '../../descriptions/locator';
import { segmentField } from '../../descriptions/records';
import { readTimeZone } from '../../parameters/dateTime';
import type { Collection } from '../../parameters/collection';
import type { Parameters } from '../../parameters/parameters';
import { type QuietHours, readQuietHours } from '../../parameters/quietHours';

/** What a broadcast must not do, as the user set it in the options. */
export interface Guards {
	/** With more recipients, nothing is sent. */
	maxRecipients?: number;
	/** Whether a CSV of items contains each number once. All other lists always do. */
	skipRepeated: boolean;
	/** The segments whose members are left out; undefined for none. */
	excludedSegmentIds?: readonly string[];
	/** Whether to send although some of their members may be among the recipients. */
	allowsIncompleteExclusion: boolean;
	/** The time of day, in the recipients' time zone, at which no broadcast starts. */
	quietHours?: QuietHours;
	/** An IANA name. */
	recipientTimeZone: string;
	any: boolean;
}

/** The names on screen that messages of other files have too. */
export const EXCLUDE_SEGMENTS = 'Exclude Segments';
export const ALLOW_INCOMPLETE_EXCLUSION = 'Allow Incomplete Exclusion';

export const guardFields: INodeProperties[] = [
	toggleField(ALLOW_INCOMPLETE_EXCLUSION, 'allowIncompleteExclusion', {
		description:
			'Whether to send although some members of Exclude Segments cannot be compared with the recipients, e.g. because a number has no country code. They may receive the broadcast.',
	}),
	entriesField({
		displayName: EXCLUDE_SEGMENTS,
		name: 'excludeSegments',
		description:
			'Segments whose members do not receive the broadcast, such as customers who opted out. If a member cannot be compared with the recipients, nothing is sent. If Audience is Segment, the broadcast goes to a fixed list of that segment’s current members. Not available for CSV File.',
		noun: 'Segment',
		saved: 'segment',
		title:
			'$collection.item.value.segmentId.cachedResultName || $collection.item.value.segmentId.value',
		values: [
			{
				...segmentField({
					description:
						'The segment whose members do not receive the broadcast. An expression can return a list of IDs.',
				}),
				displayName: 'Excluded Segment',
			},
		],
	}),
	numberField('Max Recipients', 'maxRecipients', {
		typeOptions: { minValue: 0 },
		default: 1000,
		description:
			'The largest audience to send to. With more recipients, or if their number is unknown, the node sends nothing. It counts the rows of a CSV file. 0 blocks every broadcast.',
	}),
	textField('Quiet Hours', 'quietHours', {
		default: '21:00-08:00',
		placeholder: 'e.g. 21:00-08:00',
		description:
			'Time of day at which no broadcast starts. Broadcasts due in this period start when it ends.',
	}),
	locator({
		displayName: 'Recipient Time Zone',
		name: 'recipientTimeZone',
		search: 'searchTimeZones',
		noun: 'time zone',
		example: 'Europe/Berlin',
		byId: { name: 'name', displayName: 'By Name' },
		description: 'Time zone of Quiet Hours. Without this option, it is the workflow’s time zone.',
		displayOptions: ifSet('quietHours'),
	}),
	toggleField('Skip Repeated Numbers', 'skipRepeatedNumbers', {
		description:
			'Whether to send to each number once, with the values of its first item. Only for CSV From Input Items: lists of phone numbers are always deduplicated.',
	}),
];

/**
 * @param audience whether it is sent unchanged, so that no recipient can be left out
 * @throws NodeOperationError for a value that cannot be used, and for a guard that does not apply to the audience
 */
export function readGuards(parameters: Parameters, audience: { isUnchanged?: boolean }): Guards {
	const options = parameters.collection('options', 'limit');
	const guards = {
		maxRecipients: options.count('maxRecipients'),
		skipRepeated: options.boolean('skipRepeatedNumbers') ?? false,
		excludedSegmentIds: readExcludedSegments(options),
		quietHours: options.one('quietHours', readQuietHours),
	};
	const skips = guards.skipRepeated ? 'skipRepeatedNumbers' : undefined;
	const unavailable = guards.excludedSegmentIds ? 'excludeSegments' : skips;
	if (unavailable !== undefined && audience.isUnchanged) {
		throw parameters.invalid(
			shown`${options.label(unavailable)} does not apply to a CSV file`,
			'Remove the option, or read the file with Extract from File and set Audience to CSV From Input Items.',
		);
	}
	return {
		...guards,
		allowsIncompleteExclusion: options.boolean('allowIncompleteExclusion') ?? false,
		recipientTimeZone:
			options.one('recipientTimeZone', readTimeZone) ?? parameters.n8n.getTimezone(),
		any: Object.values(guards).some((value) => value !== undefined && value !== false),
	};
}

/** @throws NodeOperationError for a row without a segment, and for one that was chosen before: another one may be missing */
function readExcludedSegments(options: Collection): string[] | undefined {
	const rows = options.groups('excludeSegments');
	if (rows.length === 0 && options.raw('excludeSegments') !== undefined) {
		throw options.invalid(
			shown`${EXCLUDE_SEGMENTS} is empty`,
			'Add a segment there, or remove this option.',
		);
	}
	const ids = rows.flatMap((row) => row.requiredIds('segmentId'));
	const twice = ids.find((id, at) => ids.indexOf(id) < at);
	if (twice === undefined) return ids.length > 0 ? ids : undefined;
	throw options.invalid(
		shown`${EXCLUDE_SEGMENTS} contains the segment ${twice} twice`,
		'Nothing was sent. Choose another segment in one of the rows, or remove it.',
	);
}
