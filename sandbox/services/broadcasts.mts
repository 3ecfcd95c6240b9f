import Papa from 'papaparse';
import { iso } from '../clock.mts';
import type { Broadcast, Template } from '../records.mts';
import { csvFile, invalid, notFound, record } from '../replies.mts';
import { type World, digits } from '../world.mts';
import { csvLine } from './contacts.mts';
import { jobData } from '../shapes.mts';
import { membersOf } from './segments.mts';
import {
	type ServiceCall,
	type Service,
	namedChannel,
	newJobId,
	tablePage,
	text,
} from './service.mts';
import { checkVariables, columnsOf } from './templateComponents.mts';
import { findTemplate } from './templates.mts';

const QUEUED_MS = 2_000;
const MS_PER_MESSAGE = 20;
const HOUR = 3_600_000;

/** An unreachable number: too short to be valid. */
const undeliverable = (phone: string): boolean => digits(phone).length < 10;

/** State and delivery statistics at a given time: a broadcast progresses on its own. */
function progress(
	world: World,
	broadcast: Broadcast,
): { status: string; statistics: Record<string, number> } {
	const total = broadcast.recipients.length;
	const failing = broadcast.recipients.filter(undeliverable).length;
	const running = world.now() - broadcast.startsAt - QUEUED_MS;
	const done = Math.max(0, Math.min(total, Math.floor(running / MS_PER_MESSAGE)));
	const failed = Math.min(failing, Math.floor(total === 0 ? 0 : (failing * done) / total));
	const delivered = Math.floor((done - failed) * 0.96);
	const statistics = {
		total,
		sent: done - failed,
		delivered,
		read: Math.floor(delivered * 0.6),
		failed,
		pending: total - done,
	};
	if (broadcast.cancelled) return { status: 'CANCELLED', statistics };
	if (world.now() < broadcast.startsAt) return { status: 'SCHEDULED', statistics };
	if (running < 0) return { status: 'QUEUED', statistics };
	if (done < total) return { status: 'PROCESSING', statistics };
	if (failing === total) return { status: 'FAILED', statistics };
	return { status: failing > 0 ? 'PARTIAL' : 'COMPLETED', statistics };
}

function broadcastView(
	world: World,
	broadcast: Broadcast,
): { id: string; [field: string]: unknown } {
	const {
		id,
		name,
		channelId,
		templateId,
		templateName,
		templateLanguage,
		audienceMode,
		scheduleType,
		settings,
		createdAt,
	} = broadcast;
	const { status } = progress(world, broadcast);
	const recipientCount = broadcast.recipients.length;
	const scheduledAt = scheduleType === 'schedule' ? iso(broadcast.startsAt) : null;
	return {
		id,
		name,
		status,
		channelId,
		templateId,
		templateName,
		templateLanguage,
		audienceMode,
		recipientCount,
		scheduledAt,
		...settings,
		createdAt,
	};
}

function audience({ world, body, file, options }: ServiceCall, template: Template): string[] {
	const mode = body.audienceMode ?? 'list';
	if (mode === 'segment') {
		const segment = world.segments.get(body.segmentId as string);
		if (!segment) throw notFound('Segment');
		return membersOf(world, segment)
			.map(({ waId }) => waId)
			.filter((waId) => waId !== null);
	}
	if (mode === 'list') return body.recipients as string[];
	return numbersIn(file?.text ?? '', template, options.shapes.csvColumns);
}

/** The columns of a template's CSV, which are undocumented: that of the phone numbers, and one per variable. */
const csvColumns = (first: string[], template: Template): string[] => [
	...first,
	...columnsOf(template),
];

/** The numbers in a CSV, which needs every column of its template's own CSV, and a number in every row. */
function numbersIn(csv: string, template: Template, first: string[]): string[] {
	const { data, meta } = Papa.parse<Record<string, string>>(csv, {
		header: true,
		skipEmptyLines: true,
	});
	const missing = csvColumns(first, template).filter((column) => !meta.fields?.includes(column));
	if (missing.length > 0) throw invalid(`The CSV file has no column ${missing.join(', ')}`);
	const numbers = data.map((row) => row[first[0] ?? ''] ?? '');
	const bad = numbers.findIndex(
		(number) => !/^(?:\+?\d+|[A-Za-z]{2}\.[A-Za-z\d]{1,128})$/.test(number),
	);
	if (bad >= 0) throw invalid(`Row ${bad + 2} of the CSV file has no phone number`);
	return numbers;
}

/** An upload is for a CSV audience and no other, and an audience is described in one way only. */
function checkAudience({ body, file }: ServiceCall): void {
	const mode = text(body, 'audienceMode') ?? 'list';
	if (mode === 'csv' && !file) throw invalid('A CSV file is required for audienceMode csv');
	if (mode !== 'csv' && file) throw invalid(`A file is not possible for audienceMode ${mode}`);
	const fieldsOf: Record<string, string[]> = {
		list: ['recipients'],
		segment: ['segmentId'],
		csv: [],
	};
	const others = ['recipients', 'segmentId'].filter(
		(name) => body[name] !== undefined && !fieldsOf[mode]?.includes(name),
	);
	if (mode === 'csv' && body.templateComponents !== undefined) others.push('templateComponents');
	if (others.length > 0)
		throw invalid(`${others.join(', ')} is not possible for audienceMode ${mode}`);
}

export const broadcasts: Service = {
	listBroadcasts(call) {
		const { world, query } = call;
		const keep = (broadcast: Broadcast) =>
			(query.channelId === undefined || broadcast.channelId === query.channelId) &&
			(query.status === undefined || progress(world, broadcast).status === query.status);
		return tablePage(call, 'broadcasts', world.broadcasts, keep, (broadcast) =>
			broadcastView(world, broadcast),
		);
	},

	createBroadcast(call) {
		const { world, body, options } = call;
		checkAudience(call);
		const channelId =
			namedChannel(call, 'WHATSAPP', 404)?.id ?? world.defaultChannel('WHATSAPP')?.id;
		const template = findTemplate(world, body, channelId);
		const recipients = audience(call, template);
		if (template.status !== 'APPROVED') throw invalid(`Template ${template.name} is not approved`);
		if (body.audienceMode !== 'csv')
			checkVariables(template, (body.templateComponents as unknown[] | undefined) ?? []);
		if (recipients.length === 0) throw invalid('The audience is empty');
		const scheduled = body.scheduleType === 'schedule';
		const startsAt = scheduled ? Date.parse(body.sendAt as string) : world.now();
		if (scheduled && !(startsAt > world.now())) throw invalid('sendAt must be in the future');
		const settings = Object.fromEntries(
			['apiType', 'ttlSeconds', 'messageActivitySharing', 'templateComponents', 'templateCategory']
				.filter((name) => body[name] !== undefined)
				.map((name) => [name, body[name]]),
		);
		const broadcast = world.broadcasts.add({
			id: newJobId(world, world.broadcasts, options),
			name: body.name as string,
			channelId: channelId ?? null,
			templateId: template.id,
			templateName: template.name,
			templateLanguage: template.language,
			audienceMode: (body.audienceMode as Broadcast['audienceMode'] | undefined) ?? 'list',
			recipients,
			scheduleType: scheduled ? 'schedule' : 'now',
			startsAt,
			cancelled: false,
			settings,
			createdAt: iso(world.now()),
		});
		return record(jobData(broadcastView(world, broadcast), 'broadcast', options.shapes));
	},

	getBroadcast({ world, params, options }) {
		const broadcast = world.broadcasts.get(params.id as string);
		if (!broadcast) throw notFound('Broadcast');
		const { statistics } = progress(world, broadcast);
		const details = { ...broadcastView(world, broadcast), statistics };
		return record(jobData(details, 'broadcast', options.shapes));
	},

	getBroadcastCsvTemplate({ world, query, options }) {
		const template = findTemplate(world, query);
		return csvFile(
			`${template.name}.csv`,
			csvLine(csvColumns(options.shapes.csvColumns, template)),
		);
	},
};

/** Two earlier broadcasts, one of which was only partially sent. */
export function seedBroadcasts(world: World): void {
	const template = world.templates.find(({ name }) => name === 'spring_sale');
	const phones = world.contacts
		.filter((contact) => contact.waId !== null)
		.slice(0, 80)
		.map(({ waId }) => waId as string);
	if (!template) return;
	for (const [name, days, recipients] of [
		['Newsletter in January', 5, phones],
		['Sale for regulars', 2, [...phones, '000']],
	] as const) {
		const startsAt = world.now() - days * 24 * HOUR;
		world.broadcasts.add({
			id: world.newId(),
			name,
			channelId: world.defaultChannel('WHATSAPP')?.id ?? null,
			templateId: template.id,
			templateName: template.name,
			templateLanguage: template.language,
			audienceMode: 'list',
			recipients: [...recipients],
			scheduleType: 'now',
			startsAt,
			cancelled: false,
			settings: {},
			createdAt: iso(startsAt),
		});
	}
}
