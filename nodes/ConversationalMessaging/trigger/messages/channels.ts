import { forEachConcurrent } from '../../api/concurrency';
import { READS_AT_ONCE } from '../limits';
import type { MessageBaseline } from './baseline';
import type { ChannelNumbers } from './counts';
import { afterReading, countsOf } from './counts';
import type { Reads } from './reads';
import type { PollRun } from './run';

/** The counts of the channels before anything else is read. */
export async function firstCounts({
	reads,
	subscription,
	limits,
}: PollRun): Promise<MessageBaseline['counts']> {
	const filtered = subscription.query.channelId;
	const channels = typeof filtered === 'string' ? [filtered] : ((await reads.channels()) ?? []);
	if (channels.length === 0 || channels.length > limits.channels) return undefined;
	const numbers = await numbersOf(reads, channels);
	return numbers && countsOf(channels, numbers);
}

/** The baseline with the counts as they are now. */
export async function readCounts(
	{ reads, limits }: PollRun,
	baseline: MessageBaseline,
): Promise<MessageBaseline> {
	const { counts, chats } = baseline;
	if (!counts) return baseline;
	const numbers = await numbersOf(reads, counts.channels.slice(0, limits.channels));
	if (!numbers) return reads.failure ? baseline : { ...baseline, counts: undefined };
	return { ...baseline, counts: afterReading(counts, numbers, chats.size) };
}

/** @returns undefined if a channel shows no numbers: news could then be in that channel */
async function numbersOf(
	reads: Reads,
	channels: readonly string[],
): Promise<ChannelNumbers | undefined> {
	const numbers: number[][] = channels.map(() => []);
	await forEachConcurrent(channels, READS_AT_ONCE, async (channel, i) => {
		numbers[i] = (await reads.counts(channel)) ?? [];
	});
	return numbers.every((one) => one.length > 0) ? numbers : undefined;
}
