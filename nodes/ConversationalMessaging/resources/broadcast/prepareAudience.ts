import type { TemplateRef } from '../../parameters/template';
import type { OperationContext } from '../../runner/operationContext';
import { fromCsvFile } from './audiences/csvFile';
import { fromCsvItems } from './audiences/csvItems';
import { fromItems, fromNumbers } from './audiences/numbers';
import type { Preparation, PreparedAudience } from './audiences/preparedAudience';
import { invalidNumbersWarning } from './audiences/preparedAudience';
import { fromSegment } from './audiences/segment';
import type { AudienceInput } from './csvRows';
import { NumberSet } from './numberSet';
import type { BroadcastPlan } from './plan';
import { comparableNumber } from './recipientFilter';
import { readMembers } from './segmentMembers';
import { templateCsv } from './templateCsv';

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
	template: Partial<TemplateRef> & { name: string; language: string },
	preparation: Preparation,
): Promise<PreparedAudience> {
	const { audience, guards, settings } = plan;
	const needsPhone = guards.skipRepeated || guards.excludeSegmentId !== undefined;
	const canDoWithout = !needsPhone && !preparation.forPreview;
	const csv = templateCsv(context, template, settings.channelId, canDoWithout);
	const { excluded, warnings } = await readExcluded(context, plan);
	const prepared = await fromAudience();
	return { ...prepared, warnings: [...prepared.warnings, ...warnings] };

	async function fromAudience(): Promise<PreparedAudience> {
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
				const file = await audience.read();
				return await fromCsvFile(context, plan, file, csv, excluded, preparation);
			}
			case 'csvOfItems':
				return await fromCsvItems(context, plan, inputs, csv, excluded, preparation);
		}
	}
}

/** The numbers to leave out, and what to check about them. */
async function readExcluded(
	context: OperationContext,
	{ guards }: BroadcastPlan,
): Promise<{ excluded?: NumberSet; warnings: string[] }> {
	if (guards.excludeSegmentId === undefined) return { warnings: [] };
	const field = 'Exclude Segment';
	const { members, invalid } = await readMembers(context, guards.excludeSegmentId, field);
	const excluded = new NumberSet();
	for (const { digits } of members) excluded.add(comparableNumber(digits));
	const warnings = invalidNumbersWarning(
		`Members of ${field} who are not left out, because they have no valid phone number with country code`,
		invalid,
	);
	// Whether the service shows the members of every dynamic segment is undocumented.
	if (excluded.size === 0)
		warnings.push(`${field} has no members with a valid phone number, so nobody is left out.`);
	return { excluded, warnings };
}
