import { iso } from '../clock.mts';
import type { Template } from '../records.mts';
import { invalid, notFound, record, wholeList } from '../replies.mts';
import type { World } from '../world.mts';
import { checkTemplate } from './templateComponents.mts';
import { type Service, namedChannel, text } from './service.mts';

/**
 * The template with this templateId, or with this templateName and templateLanguage.
 *
 * @param channelId the sending channel: it has its own templates, and those of the organization
 */
export function findTemplate(
	world: World,
	fields: Record<string, unknown>,
	channelId?: string,
): Template {
	const id = text(fields, 'templateId');
	const isNamed = ({ name, language }: Template) =>
		name === fields.templateName && language === fields.templateLanguage;
	const found = id
		? world.templates.filter((template) => template.id === id)
		: world.templates.filter(isNamed);
	const own = found.find((template) => template.channelId === channelId);
	const template = own ?? found.find((candidate) => candidate.channelId === null);
	if (!template) throw notFound('Template');
	if (!isNamed(template)) throw invalid('The template has another name or language');
	return template;
}

/** The owner's decision is hidden until a sync. */
function templateView({ decision: _unseen, ...template }: Template): unknown {
	return { ...template, hsm_id: template.id };
}

/** Templates of a channel, or of the organization; a channel also has those of the organization. */
const availableOn = (channelId: unknown) => (template: Template) =>
	template.channelId === null || template.channelId === channelId;

export const templates: Service = {
	/** The list has no status for an unknown channel: it has no templates. */
	listTemplates({ world, query, options }) {
		const isKnown =
			query.channelId === undefined ||
			world.channels.get(String(query.channelId))?.type === 'WHATSAPP';
		const rows = isKnown ? world.templates.filter(availableOn(query.channelId)) : [];
		const more = { exact: 0, fewer: -1, more: 1 }[options.shapes.templateLimit];
		const limit = Math.max(1, (query.limit ?? 100) + more);
		return wholeList('templates', rows.map(templateView), limit);
	},

	createTemplate(call) {
		const { world, body } = call;
		const language = text(body, 'language') ?? 'en_US';
		const name = body.name as string;
		const channelId = namedChannel(call, 'WHATSAPP', 400)?.id ?? null;
		const isSame = (template: Template) =>
			template.name === name && template.language === language && template.channelId === channelId;
		if (world.templates.find(isSame))
			throw invalid('A template with this name and language already exists');
		checkTemplate(body.components as unknown[]);
		const template = world.templates.add({
			id: String(1_000_000_000_000_000 + Math.floor(world.random() * 9e14)),
			name,
			category: body.category as string,
			language,
			components: body.components as unknown[],
			channelId,
			status: 'PENDING',
			decision: name.includes('reject') ? 'REJECTED' : 'APPROVED',
			allowCategoryChange: body.allowCategoryChange === true,
			createdAt: iso(world.now()),
		});
		return record(templateView(template));
	},

	/** DELETE lists no 404: a request for an unknown template is invalid. */
	deleteTemplate(call) {
		const { world, params, query } = call;
		const channelId = namedChannel(call, 'WHATSAPP', 400)?.id ?? null;
		const template = world.templates.get(params.id as string);
		if (template?.name !== query.name || template?.channelId !== channelId)
			throw invalid('No template with this ID, name and channel');
		world.templates.delete(params.id as string);
		return record({ id: params.id });
	},

	/** All templates, or those of one channel. */
	syncTemplates(call) {
		const channel = namedChannel(call, 'WHATSAPP', 400);
		const rows = call.world.templates.filter(
			({ channelId }) => channel === undefined || channelId === channel.id,
		);
		for (const template of rows) template.status = template.decision;
		return record({ synced: rows.length });
	},
};
