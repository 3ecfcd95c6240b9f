import type { IDataObject } from 'n8n-workflow';
import { clock } from '../../api/clock';
import { compact } from '../../fields/parameters';
import type { Parameters } from '../../fields/parameters';
import { chosenTemplate } from '../../fields/templateFields';
import { maxWaitMs } from '../../fields/wait';
import { followCreated, type BackgroundJob } from '../follow';
import type { Operation, Output, Steps } from '../operation';
import { resolveTemplate } from '../resolveTemplate';
import { audienceOf } from './audience';
import { fields } from './fields';

/** A broadcast as work in the background. */
export const BROADCAST_JOB: BackgroundJob = {
	noun: 'broadcast',
	endpoint: 'GET /broadcasts/{id}',
	names: ['broadcast', 'campaign'],
};

const HOUR_S = 3_600;

/** Everything but template and audience. @throws NodeOperationError */
function settings(parameters: Parameters): IDataObject {
	const options = parameters.collection('options');
	return {
		name: parameters.required('name'),
		channelId: options.scopeId('channelId'),
		templateCategory: options.option('templateCategory'),
		...schedule(parameters),
		...delivery(parameters),
	};
}

function schedule(parameters: Parameters): IDataObject {
	if (parameters.requiredOption('scheduleType') !== 'schedule') return { scheduleType: 'now' };
	const { iso: sendAt, ms } = parameters.requiredMoment('sendAt');
	if (ms <= clock.now()) {
		throw parameters.invalid(
			`Date and Time has passed: ${sendAt}`,
			`Choose a time in the future. Without an offset, it is read in the time zone of the workflow, ${parameters.context.getTimezone()}.`,
		);
	}
	return { scheduleType: 'schedule', sendAt };
}

/** The life of a message is 12 hours to 30 days (API document, section Limits). */
function delivery(parameters: Parameters): IDataObject {
	const apiType = parameters.requiredOption('apiType');
	if (apiType !== 'marketing_messages') return { apiType };
	const ttl = parameters.number('ttl') ?? 0;
	const ttlSeconds = Math.round(
		ttl * HOUR_S * (parameters.requiredOption('ttlUnit') === 'days' ? 24 : 1),
	);
	if (!(ttlSeconds === 0 || (ttlSeconds >= 12 * HOUR_S && ttlSeconds <= 30 * 24 * HOUR_S))) {
		throw parameters.invalid(
			'Give Up After is out of its range',
			'Enter 12 hours to 30 days, or 0 to leave it to the service.',
		);
	}
	const messageActivitySharing = parameters.requiredFlag('messageActivitySharing');
	return { apiType, ttlSeconds: ttlSeconds || undefined, messageActivitySharing };
}

export const create: Operation = {
	name: 'Create',
	value: 'create',
	action: 'Create broadcast',
	description: 'Send an approved template to many contacts, now or at a time',
	endpoint: 'POST /broadcasts',
	otherEndpoints: ['GET /broadcasts/{id}', 'GET /broadcasts/csv-template', 'GET /templates'],
	fields,
	result: 'steps',
	prepare(parameters) {
		const chosen = chosenTemplate(parameters);
		const base = settings(parameters);
		const audience = audienceOf(parameters, chosen.components);
		const wait = maxWaitMs(parameters.collection('options'));

		const together = async (steps: Steps, parts: unknown[]): Promise<Output[]> => {
			const { id, name, language, category } = await resolveTemplate(steps, chosen, parameters);
			const template = compact({
				templateId: id,
				templateName: name,
				templateLanguage: language,
				templateCategory: category,
			});
			const answer = await audience.send(steps, { ...template, ...compact(base) }, parts);
			if (wait === undefined) return steps.output(answer);
			return (await followCreated(steps, BROADCAST_JOB, answer, wait)).outputs;
		};
		if (audience.part === undefined) return async (steps) => await together(steps, []);
		return { key: JSON.stringify([base, chosen]), part: audience.part, together };
	},
};
