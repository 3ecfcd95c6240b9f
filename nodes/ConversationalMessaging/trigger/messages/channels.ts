import { clock } from '../../api/clock';
import { forEachConcurrent } from '../../api/concurrency';
import { READS_AT_ONCE } from '../limits';
import type { MessageBaseline } from './baseline';
import type { ChannelNumbers, CountEvidence } from './counts';
import { afterReading, countsOf } from './counts';
import type { Reads } from './reads';
import type { PollRun } from './run';

/** The counts of the channels before anything else is read. */
export async function firstCounts(run: PollRun): Promise<CountEvidence | undefined> {
	return await countsFor(run, await watchedChannels(run));
}

/** @returns undefined if the counts of these channels are not used */
async function countsFor(
	{ reads, limits }: PollRun,
	channels: readonly string[],
): Promise<CountEvidence | undefined> {
	if (channels.length === 0 || channels.length > limits.channels) return undefined;
	const readAt = clock.now();
	const numbers = await numbersOf(reads, channels);
	return numbers && countsOf(channels, numbers, readAt);
}

/**
 * The baseline with the counts as they are now; without them if they cannot be read.
 *
 * @param isCheck whether to read the list of channels again. If it has changed, the counts are not relied on at first
 */
export async function readCounts(
	run: PollRun,
	baseline: MessageBaseline,
	isCheck: boolean,
): Promise<MessageBaseline> {
	const { counts, chats } = baseline;
	if (!counts) return baseline;
	const channels = isCheck ? await watchedChannels(run) : counts.channels;
	if (!isSameSet(counts.channels, channels))
		return { ...baseline, counts: await countsFor(run, channels) };
	const readAt = clock.now();
	const numbers = await numbersOf(run.reads, counts.channels);
	if (!numbers) return { ...baseline, counts: undefined };
	return { ...baseline, counts: afterReading(counts, { numbers, readAt, chats: chats.size }) };
}

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
	one.length === other.length && one.every((id) => other.includes(id));

/** The channels whose chats match the filters; [] if they cannot be read. */
async function watchedChannels({ reads, subscription }: PollRun): Promise<readonly string[]> {
	const filtered = subscription.query.channelId;
	return typeof filtered === 'string' ? [filtered] : ((await reads.channels()) ?? []);
}

/** @returns undefined if a channel shows no numbers: news could then be in that channel */
async function numbersOf(
	reads: Reads,
	channels: readonly string[],
): Promise<ChannelNumbers | undefined> {
	const numbers: number[][] = [];
	await forEachConcurrent(channels, READS_AT_ONCE, async (channel, i) => {
		numbers[i] = (await reads.counts(channel)) ?? [];
	});
	return numbers.every((one) => one.length > 0) ? numbers : undefined;
}
