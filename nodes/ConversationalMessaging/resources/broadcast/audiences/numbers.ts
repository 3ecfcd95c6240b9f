import type { OperationContext } from '../../../runner/operationContext';
import { rejectedNumbers, unusableIn } from '../batch';
import type { AudienceInput } from '../csvRows';
import type { NumberSet } from '../numberSet';
import type { BroadcastPlan } from '../plan';
import { RecipientFilter } from '../recipientFilter';
import type { Preparation, PreparedAudience } from './preparedAudience';
import { FIRST_RECIPIENTS, MAX_INVALID, NO_COUNTS } from './preparedAudience';

/**
 * A list of phone numbers. Repeated ones are always left out.
 *
 * @param unusable values that are not phone numbers, which are left out
 */
export function fromNumbers(
	numbers: string[],
	unusable: unknown[],
	excluded: NumberSet | undefined,
): PreparedAudience {
	const filter = new RecipientFilter(excluded);
	const recipients = numbers.filter((number) => filter.judge(number) === 'kept');
	return {
		content: { mode: 'list', recipients },
		counts: {
			...NO_COUNTS,
			sent: recipients.length,
			repeated: filter.repeated,
			excluded: filter.excluded,
			invalid: unusable.length,
			invalidValues: unusable.slice(0, MAX_INVALID),
		},
		first: recipients.slice(0, FIRST_RECIPIENTS).map((to) => ({ to })),
		warnings: [],
	};
}

/** The phone numbers of the input items. Items without a valid one are left only in a preview: Create has rejected them. */
export function fromItems(
	context: OperationContext,
	{ continuesOnFail }: BroadcastPlan,
	inputs: AudienceInput[],
	excluded: NumberSet | undefined,
	{ reject }: Preparation,
): PreparedAudience {
	const unusable = unusableIn(inputs);
	const audience = fromNumbers(
		inputs.flatMap(({ numbers = [], unusable: others = [] }) => (others.length > 0 ? [] : numbers)),
		unusable.map(({ value }) => value),
		excluded,
	);
	if (unusable.length === 0) return audience;
	const { message, description } = rejectedNumbers(unusable);
	if (!continuesOnFail) reject(context.invalid(message, description));
	return { ...audience, warnings: continuesOnFail ? [message] : [] };
}
