import type { IDataObject } from 'n8n-workflow';
import type { Answer } from '../../api/answer';
import { payloadOf } from '../../api/answer';
import { clock } from '../../api/clock';
import { writeCsv } from '../../api/csv';
import { idOf } from '../../api/pages';
import { withOffset } from '../../fields/dateTime';
import { compact } from '../../fields/parameters';
import type { Parameters } from '../../fields/parameters';
import { phone } from '../../fields/phone';
import { chosenTemplate } from '../../fields/templateFields';
import { maxWaitMs } from '../../fields/wait';
import { csvFromBinary, csvText, type CsvFile } from '../csvFile';
import { follow } from '../follow';
import type { Operation, Output, Steps } from '../operation';
import { resolveTemplate } from '../resolveTemplate';
import { fields } from './fields';

/** Statuses of a broadcast that goes on (API document, section States). */
export const MOVING = ['SCHEDULED', 'QUEUED', 'PROCESSING'];

const HOUR_S = 3_600;

/** Everything but template and audience. @throws NodeOperationError */
function settings(parameters: Parameters): IDataObject {
	const options = parameters.group('options');
	return {
		name: parameters.required('name', 'Name'),
		channelId: options.id('channelId'),
		templateCategory: options.text('templateCategory'),
		...schedule(parameters),
		...delivery(parameters),
	};
}

function schedule(parameters: Parameters): IDataObject {
	if (parameters.text('scheduleType') !== 'schedule') return { scheduleType: 'now' };
	const text = parameters.required('sendAt', 'Date and Time');
	const timeZone = parameters.context.getTimezone();
	const sendAt = withOffset(text, timeZone);
	if (sendAt === undefined) {
		throw parameters.invalid(
			`"${text}" is not a date and time`,
			'Pick one, or let the expression yield one, e.g. 2026-03-01T09:00.',
		);
	}
	if (Date.parse(sendAt) <= clock.now()) {
		throw parameters.invalid(
			`${sendAt} has passed already`,
			`Choose a time in the future. It is read in the time zone of the workflow, ${timeZone}.`,
		);
	}
	return { scheduleType: 'schedule', sendAt };
}

/** The life of a message is 12 hours to 30 days (API document, section Limits). */
function delivery(parameters: Parameters): IDataObject {
	const apiType = parameters.text('apiType');
	if (apiType !== 'marketing_messages') return { apiType };
	const ttl = Number(parameters.raw('ttl') ?? 0);
	const ttlSeconds = Math.round(ttl * HOUR_S * (parameters.text('ttlUnit') === 'days' ? 24 : 1));
	if (!(ttlSeconds === 0 || (ttlSeconds >= 12 * HOUR_S && ttlSeconds <= 30 * 24 * HOUR_S))) {
		throw parameters.invalid(
			'Give Up After is out of its range',
			'Enter 12 hours to 30 days, or 0 to leave it to the service.',
		);
	}
	const messageActivitySharing = parameters.flag('messageActivitySharing');
	return { apiType, ttlSeconds: ttlSeconds || undefined, messageActivitySharing };
}

/** Numbers as they are entered: a list, or text with commas or line breaks between them. */
function numbersIn(value: unknown): string[] {
	const list = Array.isArray(value) ? value.map(String) : String(value ?? '').split(/[,;\n]/);
	return list.map((number) => phone(number.trim()) ?? '').filter((number) => number !== '');
}

/** Sends the broadcast to the audience that the parts make. */
type ToAudience = (steps: Steps, template: IDataObject, parts: unknown[]) => Promise<Answer>;

export const create: Operation = {
	name: 'Create',
	value: 'create',
	action: 'Create broadcast',
	description: 'Send an approved template to many contacts, now or at a time',
	endpoint: 'POST /broadcasts',
	otherEndpoints: ['GET /broadcasts/{id}', 'GET /broadcasts/csv-template', 'GET /templates'],
	permission: 'broadcasts.send',
	fields,
	result: 'steps',
	prepare(parameters) {
		const chosen = chosenTemplate(parameters);
		const base = settings(parameters);
		const options = parameters.group('options');
		const partName = options.text('partName') ?? 'file';
		const wait = maxWaitMs(options);
		const missing = (id: string) =>
			parameters.invalid(`There is no template with the ID ${id}`, 'Pick one from the list.');

		const post = async (steps: Steps, body: IDataObject) =>
			await steps.send('POST /broadcasts', { body: compact(body) });
		const upload = async (steps: Steps, body: IDataObject, file: CsvFile) =>
			await steps.upload('POST /broadcasts', {
				...file,
				partName,
				fields: asText({ ...body, audienceMode: 'csv' }),
			});
		// The same variables for everybody; a CSV brings those of each row itself.
		const common = { templateComponents: chosen.components };

		const send = async (
			steps: Steps,
			parts: unknown[],
			toAudience: ToAudience,
		): Promise<Output[]> => {
			const { id, name, language, category } = await resolveTemplate(steps, chosen, missing);
			const template = {
				templateId: id,
				templateName: name,
				templateLanguage: language,
				templateCategory: category,
			};
			const answer = await toAudience(steps, { ...template, ...compact(base) }, parts);
			const made = payloadOf(answer.json);
			const broadcastId = idOf(made);
			if (wait === undefined || broadcastId === undefined) return steps.output(answer);
			const known = made as IDataObject;
			return [
				{ json: await follow(steps, 'GET /broadcasts/{id}', broadcastId, MOVING, wait, known) },
			];
		};

		const audience = parameters.text('audience');
		if (audience === 'segment') {
			const segmentId = parameters.requiredId('segmentId', 'Segment');
			return async (steps) =>
				await send(
					steps,
					[],
					async (_steps, body) =>
						await post(steps, { ...body, ...common, audienceMode: 'segment', segmentId }),
				);
		}
		const toList: ToAudience = async (steps, body, parts) => {
			const recipients = [...new Set(parts.flat() as string[])];
			return await post(steps, { ...body, ...common, audienceMode: 'list', recipients });
		};
		if (audience === 'list') {
			const numbers = numbersIn(parameters.raw('recipients'));
			if (numbers.length === 0)
				throw parameters.invalid(
					'Phone Numbers is empty',
					'Enter at least one number with its country code.',
				);
			return async (steps) => await send(steps, numbers, toList);
		}
		if (audience === 'items') {
			const numbers = numbersIn(parameters.raw('recipient'));
			if (numbers.length === 0)
				throw parameters.invalid(
					'Phone Number is empty',
					'Check the expression: every input item has to bring a number.',
				);
			const together = async (steps: Steps, parts: unknown[]) => await send(steps, parts, toList);
			return { key: JSON.stringify([base, chosen]), part: numbers, together };
		}
		if (audience === 'csv') {
			const field = parameters.required('binaryPropertyName', 'Input Binary Field');
			const file = csvFromBinary(parameters, field);
			return async (steps) =>
				await send(steps, [], async (_steps, body) => await upload(steps, body, await file()));
		}
		const toRows: ToAudience = async (steps, body, parts) => {
			const { templateName, templateLanguage } = body;
			const example = await steps.download('GET /broadcasts/csv-template', {
				query: { templateName, templateLanguage },
			});
			const columns = await steps.readCsvColumns(example);
			const rows = parts as IDataObject[];
			const lacking = columns.find((column) => rows.every((row) => row[column] === undefined));
			if (lacking !== undefined) {
				throw parameters.invalid(
					`No input item has a field ${lacking}`,
					`The template needs the fields ${columns.join(', ')}. Name them so in a node before.`,
				);
			}
			const text = writeCsv({ columns, rows: rows.map((row) => cellsOf(row, columns)) });
			return await upload(steps, body, csvText('audience.csv', text));
		};
		const json = parameters.context.getInputData()[parameters.itemIndex]?.json ?? {};
		const together = async (steps: Steps, parts: unknown[]) => await send(steps, parts, toRows);
		return { key: JSON.stringify([base, chosen]), part: json, together };
	},
};

function cellsOf(row: IDataObject, columns: string[]): Record<string, string> {
	return Object.fromEntries(columns.map((column) => [column, String(row[column] ?? '')]));
}

/** Fields of a multipart body: text as it is, everything else as JSON. */
function asText(body: IDataObject): Record<string, string> {
	const entries = Object.entries(compact(body));
	return Object.fromEntries(
		entries.map(([name, value]) => [
			name,
			typeof value === 'string' ? value : JSON.stringify(value),
		]),
	);
}
