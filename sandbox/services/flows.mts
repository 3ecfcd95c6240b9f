import { invalid, notFound, record, wholeList } from '../replies.mts';
import type { Service } from './service.mts';
import { text } from './service.mts';

export const flows: Service = {
	listFlows: ({ world }) =>
		wholeList(
			'flows',
			world.flows.filter(({ active }) => active),
		),

	triggerFlow({ world, body }) {
		const flowId = text(body, 'flowId');
		const keyword = text(body, 'flowKeyword')?.toLowerCase();
		const flow = flowId
			? world.flows.get(flowId)
			: world.flows.find((candidate) => candidate.keyword === keyword);
		if (!flow?.active) throw notFound('Flow');
		const contact = world.findContactByWaId(body.to as string);
		if (!contact) throw notFound('Contact');
		if (world.credits.flowTrigger <= 0) throw invalid('No flow_trigger credits left');
		world.credits.flowTrigger--;
		const chat = world.chatOf(contact.id, text(body, 'channelId'));
		if (chat)
			chat.session = {
				id: world.newId(),
				agentId: null,
				kind: 'FLOW',
				startedAt: new Date(world.now()).toISOString(),
			};
		return record({
			triggered: true,
			flowId: flow.id,
			contactId: contact.id,
			chatId: chat?.id ?? null,
		});
	},
};
