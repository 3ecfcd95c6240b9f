import type { Parameters } from '../fields/parameters';
import type { ChosenTemplate } from '../fields/templateFields';
import { templateOfId } from '../fields/templateFields';
import type { TemplateRef } from '../fields/template';
import { MANY_TEMPLATES, templateOf } from '../fields/template';
import type { Steps } from './operation';

/**
 * Name and language of a chosen template. One that was chosen by its ID alone is looked up, once for all items.
 *
 * @throws NodeOperationError when there is no template of that ID
 */
export async function resolveTemplate(
	steps: Steps,
	{ template }: ChosenTemplate,
	parameters: Parameters,
): Promise<Partial<TemplateRef> & { name: string; language: string }> {
	if ('name' in template) return template;
	const list = await steps.once(
		'templates',
		async () => await steps.send('GET /templates', { query: { limit: MANY_TEMPLATES } }),
	);
	const found = templateOf(templateOfId(list, template.id));
	if (!found) {
		const message = `There is no template with the ID ${template.id}`;
		throw parameters.invalid(message, 'Pick one from the list.');
	}
	return found;
}
