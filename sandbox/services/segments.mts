import type { PageSize } from '../contract.mts';
import { iso } from '../clock.mts';
import type { Contact, Segment } from '../records.mts';
import type { SandboxOptions } from '../options.mts';
import {
	type Meta,
	type Reply,
	conflict,
	invalid,
	metaOf,
	notFound,
	pageOf,
	record,
	wholeList,
} from '../replies.mts';
import type { World } from '../world.mts';
import type { Service } from './service.mts';

/**
 * Whether a contact belongs to a segment. The structure of rules is undocumented; the sandbox supports only `{
 * channel }`.
 */
export function isMember(segment: Segment, contact: Contact): boolean {
	if (!segment.isDynamic) return segment.members.has(contact.id);
	if (segment.rules?.channel === 'INSTAGRAM') return contact.igId !== null;
	return segment.rules?.channel === 'WHATSAPP' && contact.waId !== null;
}

export function membersOf(world: World, segment: Segment): Contact[] {
	if (segment.isDynamic) return world.contacts.filter((contact) => isMember(segment, contact));
	return [...segment.members]
		.map((id) => world.contacts.get(id))
		.filter((contact) => contact !== undefined);
}

function segmentView(world: World, segment: Segment): Record<string, unknown> {
	const { id, name, description, isDynamic, rules, createdAt } = segment;
	return {
		id,
		name,
		description,
		isDynamic,
		rules,
		createdAt,
		memberCount: membersOf(world, segment).length,
	};
}

function segmentOr404(world: World, id: string): Segment {
	const segment = world.segments.get(id);
	if (!segment) throw notFound('Segment');
	return segment;
}

/** A segment with one page of its members. Where these are is undocumented; there may be other lists next to them. */
function segmentData(
	segment: Record<string, unknown>,
	contacts: Contact[],
	meta: Meta,
	{ segmentMembers, memberRows, segmentPaging }: SandboxOptions['shapes'],
): Reply {
	const members =
		memberRows === 'contacts'
			? contacts
			: contacts.map((contact) => ({ id: `of ${contact.id}`, contact }));
	const paged = (data: Record<string, unknown>) => withPage(data, meta, segmentPaging);
	switch (segmentMembers) {
		case 'members':
			return paged({ ...segment, members });
		case 'contacts':
			return paged({ ...segment, tags: ['a'], rules: [], contacts: members });
		case 'segment':
			return paged({ segment: { ...segment, tags: ['a'], members } });
	}
}

/** A record with one page of what belongs to it. The document shows `meta` for lists only. */
function withPage(
	data: Record<string, unknown>,
	meta: Meta,
	place: SandboxOptions['shapes']['segmentPaging'],
): Reply {
	switch (place) {
		case 'top':
			return record(data, meta);
		case 'meta':
			return record({ ...data, meta });
		case 'fields':
			return record({ ...data, ...meta });
		case 'none':
			return record(data);
	}
}

export const segments: Service = {
	listSegments: ({ world }) =>
		wholeList(
			'segments',
			world.segments.filter(() => true).map((row) => segmentView(world, row)),
		),

	createSegment({ world, body }) {
		if (world.segments.find((segment) => segment.name === body.name))
			throw conflict('A segment with this name already exists');
		const segment = world.segments.add({
			id: world.newId(),
			name: body.name as string,
			description: (body.description as string | undefined) ?? null,
			isDynamic: body.isDynamic === true,
			rules: (body.rules as Record<string, unknown> | undefined) ?? null,
			members: new Set(),
			createdAt: iso(world.now()),
		});
		return record(segmentView(world, segment));
	},

	getSegment({ world, params, query, pageSize, options }) {
		const segment = segmentOr404(world, params.id as string);
		const page = pageOf(query, pageSize as PageSize);
		const all = membersOf(world, segment);
		const first = (page.page - 1) * page.limit;
		const members = all.slice(first, first + page.limit);
		return segmentData(
			segmentView(world, segment),
			members,
			metaOf(all.length, page),
			options.shapes,
		);
	},

	deleteSegment({ world, params }) {
		const segment = segmentOr404(world, params.id as string);
		world.segments.delete(segment.id);
		return record({ id: segment.id });
	},

	changeSegmentMembers({ world, params, body }) {
		const segment = segmentOr404(world, params.id as string);
		if (segment.isDynamic)
			throw invalid('The members of a dynamic segment are defined by its rules');
		const ids = body.contactIds as string[];
		const unknown = ids.filter((id) => !world.contacts.get(id));
		if (unknown.length > 0)
			throw invalid(`Contacts do not belong to the organization: ${unknown.join(', ')}`);
		for (const id of ids) {
			if (body.action === 'add') segment.members.add(id);
			else segment.members.delete(id);
		}
		return record(segmentView(world, segment));
	},
};
