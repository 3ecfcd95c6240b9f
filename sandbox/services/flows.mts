import { invalid, notFound, record, wholeList } from '../replies.mts';
import { type Service, namedChannel, text } from './service.mts';
import { holdSession } from './sessions.mts';

export const flows: Service = {
	listFlows: ({ world }) =>
		wholeList(
			'flows',
			world.flows.filter(({ active }) => active),
		),

	triggerFlow(call) {
		const { world, body } = call;
		const flowId = text(body, 'flowId');
		const keyword = text(body, 'flowKeyword');
		const flow = flowId
			? world.flows.get(flowId)
			: world.flows.find((candidate) => candidate.keyword === keyword);
		if (!flow?.active || (keyword && flow.keyword !== keyword)) throw notFound('Flow');
		const channel = namedChannel(call, 'WHATSAPP', 404);
		const contact = world.findContactByWaId(body.to as string);
		if (!contact) throw notFound('Contact');
		const chat = world.chatOf(contact.id, channel?.id);
		if (!chat) throw notFound('Chat');
		if (world.credits.flowTrigger <= 0) throw invalid('No flow_trigger credits left');
		world.credits.flowTrigger--;
		// Only escalation and the agent end an agent's session.
		if (chat.session?.kind !== 'AGENT') holdSession(world, chat, null);
		return record({
			triggered: true,
			flowId: flow.id,
			contactId: contact.id,
			chatId: chat.id,
		});
	},
};
