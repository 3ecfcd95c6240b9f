import { clock } from '../../api/clock';
import { maxWaitMs } from '../../descriptions/wait';
import type { ChosenTemplate, FilledVariables } from '../../parameters/chosenTemplate';
import { chosenTemplate, filledVariables } from '../../parameters/chosenTemplate';
import type { Parameters } from '../../parameters/parameters';
import type { TemplateRef } from '../../parameters/template';
import { withoutUndefined } from '../../parameters/values';
import type { Batch, ReadMoment, Settings } from '../batch';
import { planned } from '../operation';
import type { OperationContext } from '../operationContext';
import type { Output } from '../output';
import { resolveTemplate } from '../resolveTemplate';
import { waitForCreated } from '../waitForCompletion';
import type { Audience } from './audience';
import { readAudience, sendToAudience } from './audience';
import type { BroadcastInput } from './batch';
import { checkBroadcast } from './batch';
import { CSV_AUDIENCES, fields } from './fields';
import { BROADCAST_JOB } from './job';

export const create = planned({
	name: 'Create',
	value: 'create',
	action: 'Create broadcast',
	description: 'Send an approved template to many contacts, now or at a scheduled time',
	endpoint: 'POST /broadcasts',
	otherEndpoints: ['GET /broadcasts/{id}', 'GET /broadcasts/csv-template', 'GET /templates'],
	fields,
	prepare: readPlan,
	batch: batchOf,
	run: createBroadcast,
});

/** A broadcast as the user set it up. */
interface BroadcastPlan {
	template: ChosenTemplate;
	/** The values of its variables; undefined if a CSV contains them. */
	components?: unknown[];
	settings: BroadcastSettings;
	audience: Audience;
	/** The multipart part of a CSV. */
	partName: string;
	/** How long to wait for its completion, in milliseconds; undefined for not at all. */
	maxWaitMs?: number;
	/** Everything that must be the same in all items of one broadcast, by the names on screen. */
	sameForAll: Settings;
}

function readPlan(parameters: Parameters): BroadcastPlan {
	const options = parameters.collection('options');
	const template = chosenTemplate(parameters);
	const settings = readSettings(parameters);
	const isCsv = CSV_AUDIENCES.includes(parameters.requiredOption('audience'));
	const variables = isCsv ? { byName: {} } : filledVariables(parameters);
	return {
		template,
		components: variables.components,
		settings,
		audience: readAudience(parameters),
		partName: options.text('partName') ?? 'file',
		maxWaitMs: maxWaitMs(options),
		sameForAll: settingsByName(parameters, settings, template, variables.byName),
	};
}

/** All input items make one broadcast if each of them contributes recipients. */
function batchOf({ audience, sameForAll }: BroadcastPlan): Batch<BroadcastInput> | undefined {
	if (!('input' in audience)) return undefined;
	const input = { ...audience.input, settings: sameForAll };
	return { key: 'all input items', input, check: checkBroadcast };
}

async function createBroadcast(
	context: OperationContext,
	{ template, components, settings, audience, partName, maxWaitMs: maxMs }: BroadcastPlan,
	inputs: BroadcastInput[],
): Promise<Output[]> {
	const found = await resolveTemplate(context, template, settings.channelId);
	const body = withoutUndefined({
		...settings,
		templateId: found.id,
		templateName: found.name,
		templateLanguage: found.language,
		templateCategory: settings.templateCategory ?? categoryOf(found),
		templateComponents: components,
		sendAt: settings.sendAt?.iso,
	});
	const response = await sendToAudience(context, audience, body, inputs, partName);
	if (maxMs === undefined) return context.outputOf(response);
	return (await waitForCreated(context, BROADCAST_JOB, response, maxMs)).outputs;
}

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

function schedule(parameters: Parameters): { scheduleType: string; sendAt?: ReadMoment } {
	const scheduleType = parameters.requiredOption('scheduleType');
	if (scheduleType !== 'schedule') return { scheduleType };
	const readAt = clock.now();
	const sendAt = { ...parameters.requiredMoment('sendAt'), readAt };
	if (sendAt.ms <= readAt) {
		throw parameters.invalid(
			`Date and Time is in the past: ${sendAt.iso}`,
			`Choose a time in the future. A time without an offset is read in the workflow’s time zone, ${parameters.context.getTimezone()}.`,
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

type BroadcastSettings = ReturnType<typeof readSettings>;

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
		[options.label('partName')]: options.text('partName'),
		[options.label('waitForCompletion')]: options.boolean('waitForCompletion'),
		[options.label('maxWaitMinutes')]: options.number('maxWaitMinutes'),
	};
}

/** The category of a template that was looked up, if a broadcast accepts it. */
function categoryOf({ category }: Partial<TemplateRef>): string | undefined {
	const known = ['AUTHENTICATION', 'MARKETING', 'UTILITY'];
	return known.find((name) => name === category?.toUpperCase());
}
