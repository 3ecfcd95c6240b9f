import Papa from 'papaparse';
import { iso } from '../clock.mts';
import type { Broadcast } from '../records.mts';
import { csvFile, invalid, notFound, record } from '../replies.mts';
import type { World } from '../world.mts';
import { digits } from '../world.mts';
import { csvLine } from './contacts.mts';
import { jobData } from '../shapes.mts';
import { membersOf } from './segments.mts';
import type { ServiceCall, Service } from './service.mts';
import { newJobId, tablePage, text } from './service.mts';
import { findTemplate, variablesOf } from './templates.mts';

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

function audience({ world, body, file }: ServiceCall): string[] {
	const mode = body.audienceMode ?? 'list';
	if (mode === 'segment') {
		const segment = world.segments.get(body.segmentId as string);
		if (!segment) throw notFound('Segment');
		return membersOf(world, segment)
			.map(({ waId }) => waId)
			.filter((waId) => waId !== null);
	}
	if (mode === 'list') return body.recipients as string[];
	if (!file) throw invalid('A CSV file is required for audienceMode csv');
	const { data, meta } = Papa.parse<Record<string, string>>(file.text, {
		header: true,
		skipEmptyLines: true,
	});
	const column = meta.fields?.[0];
	if (!column) throw invalid('The CSV file has no header row');
	return data.map((row) => row[column] ?? '');
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
		const template = findTemplate(world, body);
		const recipients = audience(call);
		if (template.status !== 'APPROVED') throw invalid(`Template ${template.name} is not approved`);
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
			channelId: text(body, 'channelId') ?? world.defaultChannel('WHATSAPP')?.id ?? null,
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

	getBroadcastCsvTemplate({ world, query }) {
		const template = findTemplate(world, query);
		return csvFile(`${template.name}.csv`, csvLine(['phone', ...variablesOf(template)]));
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
