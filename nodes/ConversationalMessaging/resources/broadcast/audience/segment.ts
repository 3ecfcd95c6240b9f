import { segmentField } from '../../../descriptions/records';
import { formatValue, listed } from '../../../parameters/values';
import type { OperationContext } from '../../../runner/operationContext';
import { type Guards, EXCLUDE_SEGMENTS } from '../guards';
import type { Audience, AudienceKind, AudienceSettings } from './audience';
import { keptRecipients, leftOutNote } from './keptRecipients';
import { idsOf, memberAddresses, readMembers, segmentSize } from './readMembers';

/** A segment is sent as such, or as a list of its members if some of them are excluded. */
export const segment: AudienceKind<string> = {
	option: { name: 'Segment', value: 'segment', description: 'All contacts in a segment' },
	fields: [
		segmentField({
			required: true,
			description: 'The segment whose contacts receive the broadcast',
		}),
	],
	read: (parameters) => parameters.id('segmentId', 'required'),
	find: async (context, [segmentId], settings) =>
		settings.guards.excludedSegmentIds === undefined
			? await asSegment(context, segmentId, settings)
			: await asMembers(context, segmentId, settings.guards),
};

/** The largest segment whose members a preview reads: 50 requests. */
const MAX_READ = 10_000;

async function asSegment(
	context: OperationContext,
	segmentId: string,
	{ isCounted, isPreview }: AudienceSettings,
): Promise<Audience> {
	const body = { audienceMode: 'segment', segmentId } as const;
	const audience: Audience = { body, leftOut: 0, notes: [] };
	if (!isCounted) return audience;
	const { count, isDynamic } = await segmentSize(context, segmentId);
	const isTooLarge = count !== undefined && count > MAX_READ;
	const isRead = isPreview && count !== undefined && count > 0 && !isTooLarge;
	const notes = [
		count === undefined && 'The service does not show how many members the segment has',
		count === 0 &&
			'The service shows no members of the segment. It may reject the broadcast, or send it to nobody',
		isDynamic && 'The segment is dynamic: its members may change until the start',
		isPreview && isTooLarge && 'The countries of more than 10,000 members are not counted',
	].filter((note) => note !== false);
	const addresses = isRead ? await memberAddresses(context, segmentId, count) : undefined;
	return { ...audience, count, notes, addresses };
}

async function asMembers(
	context: OperationContext,
	segmentId: string,
	guards: Guards,
): Promise<Audience> {
	if (guards.excludedSegmentIds?.includes(segmentId)) {
		throw context.invalid(
			`${EXCLUDE_SEGMENTS} contains the segment that is the audience`,
			'Nothing was sent, because nobody would be left. Choose another segment in one of the two places.',
		);
	}
	const { members, missing } = await readMembers(context, segmentId, 'Segment');
	if (missing !== undefined) {
		throw context.invalid(
			missing,
			`Nothing was sent. Compare the segment with the dashboard, or remove ${EXCLUDE_SEGMENTS}: then the service itself finds the members.`,
		);
	}
	const [reachable, unusable] = [idsOf(members, true), idsOf(members, false)];
	const withoutAddress = members.length - reachable.length - unusable.length;
	const examples = ` that cannot be compared with ${EXCLUDE_SEGMENTS}: ${listed(unusable, formatValue)}`;
	const found = {
		recipients: reachable.map((address) => ({ address })),
		leftOut: unusable.length + withoutAddress,
		notes: [
			...leftOutNote(withoutAddress, 'contact', ' without a WhatsApp ID'),
			...leftOutNote(unusable.length, 'number', examples),
		],
	};
	return await keptRecipients(context, found, guards);
}
