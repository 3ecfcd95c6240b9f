import { clock } from '../../api/clock';
import { withoutUndefined } from '../../parameters/values';
import type { Parameters } from '../../parameters/parameters';
import type { TemplateRef } from '../../parameters/template';
import type { ChosenTemplate, FilledVariables } from '../../parameters/chosenTemplate';
import { chosenTemplate, filledVariables } from '../../parameters/chosenTemplate';
import { maxWaitMs } from '../../descriptions/wait';
import { waitForCreated, type BackgroundJob } from '../waitForCompletion';
import type { Operation, Output, OperationContext } from '../operation';
import type { ReadMoment, Settings } from '../batch';
import { resolveTemplate } from '../resolveTemplate';
import { audienceOf } from './audience';
import { CSV_AUDIENCES, fields } from './fields';
import type { BroadcastInput } from './batch';
import { checkBroadcast } from './batch';

/** A broadcast as a background job. */
export const BROADCAST_JOB: BackgroundJob = {
	noun: 'broadcast',
	endpoint: 'GET /broadcasts/{id}',
	names: ['broadcast', 'campaign'],
};

const HOUR_S = 3_600;

/** Everything but template and audience. @throws NodeOperationError */
function settings(parameters: Parameters) {
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
			`Choose a time in the future. A time without an offset is in the workflow’s time zone, ${parameters.context.getTimezone()}.`,
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

type BroadcastSettings = ReturnType<typeof settings>;

/** Everything that must be the same in all items of one broadcast, by the names on screen. */
function byName(
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

export const create: Operation = {
	name: 'Create',
	value: 'create',
	action: 'Create broadcast',
	description: 'Send an approved template to many contacts, now or at a scheduled time',
	endpoint: 'POST /broadcasts',
	otherEndpoints: ['GET /broadcasts/{id}', 'GET /broadcasts/csv-template', 'GET /templates'],
	fields,
	result: 'steps',
	prepare(parameters) {
		const template = chosenTemplate(parameters);
		const base = settings(parameters);
		const isCsv = CSV_AUDIENCES.includes(parameters.requiredOption('audience'));
		const variables = isCsv ? { byName: {} } : filledVariables(parameters);
		const audience = audienceOf(parameters, variables.components);
		const wait = maxWaitMs(parameters.collection('options'));

		const runBatch = async (context: OperationContext, inputs: unknown[]): Promise<Output[]> => {
			const found = await resolveTemplate(context, template, base.channelId, parameters);
			const body = {
				...base,
				templateId: found.id,
				templateName: found.name,
				templateLanguage: found.language,
				templateCategory: base.templateCategory ?? categoryOf(found),
				sendAt: base.sendAt?.iso,
			};
			const response = await audience.send(
				context,
				withoutUndefined(body),
				inputs as BroadcastInput[],
			);
			if (wait === undefined) return context.output(response);
			return (await waitForCreated(context, BROADCAST_JOB, response, wait)).outputs;
		};
		if (audience.input === undefined) return async (context) => await runBatch(context, []);
		const input: BroadcastInput = {
			...audience.input,
			settings: byName(parameters, base, template, variables.byName),
		};
		return { key: 'all input items', input, check: checkBroadcast, runBatch };
	},
};

/** The category of a template that was looked up, if a broadcast accepts it. */
function categoryOf({ category }: Partial<TemplateRef>): string | undefined {
	const known = ['AUTHENTICATION', 'MARKETING', 'UTILITY'];
	return known.find((name) => name === category?.toUpperCase());
}
