import type { Endpoint } from '../../nodes/ConversationalMessaging/api/endpoint.ts';
import { assumption, fails, failsAt, holds, cannotTell } from '../assumption.mts';
import { documentedSize, LISTS, type ListName } from '../lists.mts';
import { Endpoints, whyNot } from '../observe.mts';
import { messageReadings } from '../observations.mts';
import { LARGE_PAGE, type ListReading } from '../service.mts';
import { count, say, type Shown } from '../shown.mts';

const SIZED: ListName[] = ['tickets', 'chats', 'contacts', 'broadcasts', 'imports'];

interface Sizes {
	endpoint: Endpoint;
	/** Without a limit. */
	usual?: ListReading;
	/** With a limit above every maximum. */
	large?: ListReading;
	/** With the documented maximum, if the service rejects a larger one. */
	nodes?: ListReading;
}

export const pageSizes = assumption<Sizes[]>({
	id: 'page-sizes',
	question:
		'Are default and largest page size of each list as documented, and is a larger limit reduced?',
	settles: ['listContactImports: the maximum of limit; the sandbox uses the general one'],
	otherwise:
		'The nodes request pages of the documented maximum and go by the number of rows that is returned, so smaller or larger pages only change the number of requests.',
	async observe(service) {
		const sizes: Sizes[] = [];
		for (const name of SIZED) {
			const { endpoint } = LISTS[name];
			const cap = documentedSize(endpoint)?.cap ?? 200;
			const large = await service.list(endpoint, [name], { query: { limit: LARGE_PAGE } });
			const usual = await service.list(endpoint, [name], {});
			const status = large.reading.response?.status ?? 0;
			const rejected = status >= 400 && usual.path;
			const nodes = rejected
				? await service.list(endpoint, [name], { query: { limit: cap } })
				: undefined;
			sizes.push({ endpoint, usual, large, nodes });
		}
		const messages = await messageReadings(service);
		const longest = messages.toSorted((one, other) => other.length - one.length)[0];
		if (longest) {
			const usual = await service.list(longest.reading.endpoint, ['messages'], {
				path: longest.reading.params.path,
			});
			sizes.push({ endpoint: longest.reading.endpoint, usual, large: longest });
		}
		return sizes;
	},
	judge(sizes) {
		const seen: Shown[] = [];
		const broken: Endpoint[] = [];
		let differs = false;
		let told = 0;
		for (const { endpoint, usual, large, nodes } of sizes) {
			const route = Endpoints.shown(endpoint);
			const documented = documentedSize(endpoint);
			// Without counts, a larger page shows that the usual one was full.
			const isFull = usual && large && large.length > usual.length;
			const standard = usual && (sizeOf(usual) ?? (isFull ? usual.length : undefined));
			const cap = large && sizeOf(large);
			if (nodes) {
				differs = true;
				seen.push(
					say`${route}: limit=${LARGE_PAGE} is rejected${nodes.path ? say`, limit=${documented?.cap ?? 0} is accepted` : say`, and so is limit=${documented?.cap ?? 0}`}`,
				);
				if (!nodes.path) broken.push(endpoint);
			} else if (usual && !usual.path) seen.push(whyNot(usual.reading));
			else if (standard === undefined && cap === undefined)
				seen.push(say`${route}: too few rows to show it (${usual?.length ?? 0})`);
			if (standard !== undefined) {
				told++;
				if (standard !== documented?.default) differs = true;
				seen.push(
					say`${route}: ${count(standard, 'row')} by default, documented ${documented?.default ?? 0}`,
				);
			}
			if (cap !== undefined && !nodes) {
				told++;
				// The maximum of import jobs is not documented.
				if (cap !== documented?.cap && endpoint !== 'GET /contacts/imports') differs = true;
				seen.push(
					cap >= LARGE_PAGE
						? say`${route}: at least ${count(cap, 'row')} at once`
						: say`${route}: at most ${count(cap, 'row')}, ${endpoint === 'GET /contacts/imports' ? say`not documented` : say`documented ${documented?.cap ?? 0}`}`,
				);
			}
		}
		if (broken.length > 0) return failsAt(broken, ...seen);
		if (differs) return fails(...seen);
		return told > 0 ? holds(...seen) : cannotTell(...seen);
	},
});

/**
 * The page size in force. A full page shows it if the list has more rows than the page; otherwise the stated size
 * counts, unless it only repeats what was requested.
 */
function sizeOf({ length, meta, path, requested }: ListReading): number | undefined {
	if (!path) return undefined;
	const hasMore = meta.total !== undefined ? meta.total > length : (meta.totalPages ?? 0) > 1;
	if (hasMore && length > 0) return length;
	return meta.limit !== undefined &&
		meta.limit !== requested &&
		meta.limit >= length &&
		meta.limit > 0
		? meta.limit
		: undefined;
}
