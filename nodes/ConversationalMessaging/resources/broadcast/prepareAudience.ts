import type { OperationContext } from '../operationContext';
import { fromCsvFile } from './audiences/csvFile';
import { fromCsvItems } from './audiences/csvItems';
import { fromItems, fromNumbers } from './audiences/numbers';
import type { Preparation, PreparedAudience } from './audiences/preparedAudience';
import { fromSegment } from './audiences/segment';
import type { AudienceInput } from './csvRows';
import { NumberSet } from './numberSet';
import type { BroadcastPlan } from './plan';
import { comparableNumber } from './recipientFilter';
import { readMembers } from './segmentMembers';

type Template = { name: string; language: string };

/**
 * Prepares the audience of a broadcast, with everybody left out whom the guards leave out.
 *
 * @param inputs what the items contribute, or []
 * @throws NodeApiError if something cannot be read
 */
export async function prepareAudience(
	context: OperationContext,
	plan: BroadcastPlan,
	inputs: AudienceInput[],
	template: Template,
	preparation: Preparation,
): Promise<PreparedAudience> {
	const { audience } = plan;
	const excluded = await excludedNumbers(context, plan);
	switch (audience.kind) {
		case 'segment':
			return await fromSegment(context, plan, audience, excluded, preparation);
		case 'numbers': {
			const { numbers, unusable } = audience;
			return fromNumbers(numbers, unusable, excluded);
		}
		case 'numbersOfItems':
			return fromItems(context, plan, inputs, excluded, preparation);
		case 'csvFile': {
			const columns = preparation.forPreview ? await templateColumns(context, template) : undefined;
			const file = await audience.read();
			return await fromCsvFile(context, plan, file, columns, excluded, preparation);
		}
		case 'csvOfItems': {
			const columns = await templateColumns(context, template);
			return fromCsvItems(context, plan, inputs, columns, excluded, preparation);
		}
	}
}

async function excludedNumbers(
	context: OperationContext,
	{ guards }: BroadcastPlan,
): Promise<NumberSet | undefined> {
	if (guards.excludeSegmentId === undefined) return undefined;
	const { members } = await readMembers(context, guards.excludeSegmentId, 'Exclude Segment');
	const numbers = new NumberSet();
	for (const { digits } of members) numbers.add(comparableNumber(digits));
	return numbers;
}

/** The columns of the template's own CSV. */
async function templateColumns(
	context: OperationContext,
	{ name, language }: Template,
): Promise<string[]> {
	const example = await context.download({
		endpoint: 'GET /broadcasts/csv-template',
		query: { templateName: name, templateLanguage: language },
	});
	return await context.readCsvHeader(example);
}
