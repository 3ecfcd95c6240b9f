import { iso } from '../clock.mts';
import type { Template } from '../records.mts';
import { invalid, notFound, record, wholeList } from '../replies.mts';
import type { World } from '../world.mts';
import type { Service } from './service.mts';
import { text } from './service.mts';

/** The template with this templateId, or with this templateName and templateLanguage. */
export function findTemplate(world: World, fields: Record<string, unknown>): Template {
	const id = text(fields, 'templateId');
	const template = id
		? world.templates.get(id)
		: world.templates.find(
				({ name, language }) =>
					name === fields.templateName && language === fields.templateLanguage,
			);
	if (!template) throw notFound('Template');
	return template;
}

/** Names of the variables in a template's text, in order: "1", "2" or "name". */
export function variablesOf(template: Template): string[] {
	const parts = template.components as { text?: string }[];
	const found = parts.flatMap(({ text: words }) =>
		[...(words ?? '').matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map((match) => match[1] as string),
	);
	return [...new Set(found)];
}

/** The owner's decision is hidden until a sync. */
function templateView({ decision: _unseen, ...template }: Template): unknown {
	return { ...template, hsm_id: template.id };
}

const onChannel = (channelId: unknown) => (template: Template) =>
	channelId === undefined || template.channelId === null || template.channelId === channelId;

export const templates: Service = {
	listTemplates({ world, query, options }) {
		const rows = world.templates.filter(onChannel(query.channelId));
		const more = { exact: 0, fewer: -1, more: 1 }[options.shapes.templateLimit];
		const limit = Math.max(1, (query.limit ?? 100) + more);
		return wholeList('templates', rows.map(templateView), limit);
	},

	createTemplate({ world, body }) {
		const language = text(body, 'language') ?? 'en_US';
		const name = body.name as string;
		if (
			world.templates.find((template) => template.name === name && template.language === language)
		) {
			throw invalid('A template with this name and language already exists');
		}
		const template = world.templates.add({
			id: String(1_000_000_000_000_000 + Math.floor(world.random() * 9e14)),
			name,
			category: body.category as string,
			language,
			components: body.components as unknown[],
			channelId: text(body, 'channelId') ?? null,
			status: 'PENDING',
			decision: name.includes('reject') ? 'REJECTED' : 'APPROVED',
			createdAt: iso(world.now()),
		});
		return record(templateView(template));
	},

	/** DELETE lists no 404: a request for an unknown template is invalid. */
	deleteTemplate({ world, params, query }) {
		const template = world.templates.get(params.id as string);
		if (template?.name !== query.name) throw invalid('No template with this ID and name');
		world.templates.delete(params.id as string);
		return record({ id: params.id });
	},

	syncTemplates({ world, body }) {
		const rows = world.templates.filter(onChannel(body.channelId));
		for (const template of rows) template.status = template.decision;
		return record({ synced: rows.length });
	},
};
