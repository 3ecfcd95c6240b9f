import type { INodeProperties } from 'n8n-workflow';
import { segmentField } from '../../descriptions/records';
import type { Parameters } from '../../parameters/parameters';
import type { QuietHours } from '../../parameters/quietHours';

/** What a broadcast must not do, as the user set it in the options. */
export interface Guards {
	/** With more recipients, nothing is sent. */
	maxRecipients?: number;
	/** Whether rows of a CSV whose number occurs in an earlier row are left out. */
	skipRepeated: boolean;
	/** The segment whose members are left out. */
	excludeSegmentId?: string;
	/** The time of day, in the recipients' time zone, at which no broadcast starts. */
	quietHours?: QuietHours;
	/** The recipients' time zone: an IANA name. */
	timeZone: string;
	/** Whether the user set any of them. */
	any: boolean;
}

/** In the order of their names, for the options of the operations. */
export const guardFields: Record<
	'excludeSegment' | 'maxRecipients' | 'quietHours' | 'timeZone' | 'skipRepeated',
	INodeProperties
> = {
	excludeSegment: {
		...segmentField({
			description:
				'Segment whose members do not receive the broadcast. Its members are read first, and the audience Segment is sent as a list of phone numbers.',
		}),
		displayName: 'Exclude Segment',
		name: 'excludeSegmentId',
	},
	maxRecipients: {
		displayName: 'Max Recipients',
		name: 'maxRecipients',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 1000,
		description:
			'The largest audience to send to. If there are more recipients, or if their number is unknown, nothing is sent.',
	},
	quietHours: {
		displayName: 'Quiet Hours',
		name: 'quietHours',
		type: 'string',
		default: '21:00-08:00',
		placeholder: 'e.g. 21:00-08:00',
		description:
			'Time of day at which no broadcast starts. One that would start then is scheduled for the end of the quiet hours.',
	},
	timeZone: {
		displayName: 'Recipient Time Zone',
		name: 'recipientTimeZone',
		type: 'string',
		default: '',
		placeholder: 'e.g. Europe/Berlin',
		description: 'Time zone of Quiet Hours. If not set, the workflow’s time zone.',
	},
	skipRepeated: {
		displayName: 'Skip Repeated Numbers',
		name: 'skipRepeatedNumbers',
		type: 'boolean',
		default: true,
		description:
			'Whether to leave out CSV rows whose phone number occurs in an earlier row. All other audiences always contain each number once.',
	},
};

/** @throws NodeOperationError for a value that cannot be used */
export function readGuards(parameters: Parameters): Guards {
	const options = parameters.collection('options');
	const guards = {
		maxRecipients: options.count('maxRecipients'),
		skipRepeated: options.boolean('skipRepeatedNumbers') ?? false,
		excludeSegmentId: options.idIfSet('excludeSegmentId'),
		quietHours: options.quietHours('quietHours'),
	};
	return {
		...guards,
		timeZone: options.timeZone('recipientTimeZone') ?? parameters.context.getTimezone(),
		any: Object.values(guards).some((value) => value !== undefined && value !== false),
	};
}
