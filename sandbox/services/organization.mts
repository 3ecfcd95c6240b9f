import { notFound, record, wholeList } from '../replies.mts';
import type { Service } from './service.mts';

export const organization: Service = {
	listChannels: ({ world }) =>
		wholeList('channels', world.channels.filter(() => true).toReversed()),

	getChannel({ world, options, params }) {
		const channel = world.channels.get(params.id as string);
		if (!channel) throw notFound('Channel');
		const chats = world.chats.filter(({ channelId }) => channelId === channel.id);
		const messages = chats.reduce((sum, { id }) => sum + (world.messages.get(id)?.length ?? 0), 0);
		const broadcasts = world.broadcasts.filter(({ channelId }) => channelId === channel.id).length;
		switch (options.shapes.channelTotals) {
			case 'stats':
				return record({ ...channel, stats: { chats: chats.length, messages, broadcasts } });
			case 'stuck':
				return record({ ...channel, stats: { chats: 0, messages: 0, broadcasts: 0 } });
			case 'none':
				return record(channel);
		}
	},

	getOrganization: ({ world }) => record(world.organization),

	listUsers: ({ world }) => wholeList('users', world.users.filter(() => true).toReversed()),
};
