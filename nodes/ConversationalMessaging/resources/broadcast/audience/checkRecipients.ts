import { shown } from '../../../api/access/shown';
import { countOf } from '../../../parameters/values';
import type { OperationContext } from '../../../runner/operationContext';
import type { Audience } from './audience';

/** @throws NodeOperationError if there are no recipients, or too many */
export function checkRecipients(
	context: OperationContext,
	{ body, count, isMinimum, notes }: Audience,
	max: number | undefined,
): void {
	// Contacts may join a segment until the start, and the service may not show the members of a dynamic one.
	if (count === 0 && body.audienceMode !== 'segment') {
		throw context.invalid(
			'The broadcast has no recipients',
			shown`Nothing was sent. ${sentences(notes)}Check the audience and the options.`,
		);
	}
	if (max === undefined) return;
	if (count === undefined) {
		throw context.invalid(
			shown`The number of recipients is unknown, so Max Recipients (${max}) cannot be checked`,
			shown`Nothing was sent. ${sentences(notes)}Correct the audience, or remove Max Recipients.`,
		);
	}
	if (count <= max) return;
	throw context.invalid(
		shown`The broadcast has ${isMinimum ? 'at least ' : ''}${countOf(count, 'recipient')}, but Max Recipients is ${max}`,
		'Nothing was sent. Raise Max Recipients, or choose a smaller audience.',
	);
}

const sentences = (notes: string[]): string => notes.map((note) => `${note}. `).join('');
