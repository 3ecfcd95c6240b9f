import type { ChosenTemplate } from '../fields/templateFields';
import { templateOfId } from '../fields/templateFields';
import type { TemplateRef } from '../fields/template';
import { MANY_TEMPLATES, templateOf } from '../fields/template';
import type { Steps } from './operation';

/** Name and language of a chosen template. One that was chosen by its ID alone is looked up, once for all items. */
export async function resolveTemplate(
	steps: Steps,
	{ template }: ChosenTemplate,
	missing: (id: string) => Error,
): Promise<Partial<TemplateRef> & { name: string; language: string }> {
	if ('name' in template) return template;
	const list = await steps.once(
		'templates',
		async () => await steps.send('GET /templates', { query: { limit: MANY_TEMPLATES } }),
	);
	const found = templateOf(templateOfId(list, template.id));
	if (!found) throw missing(template.id);
	return found;
}
