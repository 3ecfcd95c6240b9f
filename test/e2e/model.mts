import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';

interface Asked {
	messages: { role: string; content: string }[];
	tools: { function: { name: string } }[];
}

/** A response of the model: a tool call with its arguments, or a text for the user. */
export type Turn = { tool: string; args: Record<string, unknown> } | { text: string };

export interface Model {
	/** Its URL for an OpenAI credential. */
	url: string;
	/** The names of the tools that it was offered. */
	offered: string[];
	close: () => Promise<void>;
}

/**
 * A scripted chat model behind OpenAI's chat completions interface: a real one needs a network and does not respond
 * the same way twice.
 *
 * @param next returns its response to what the tools have returned since the user's last message, and to that message
 */
export async function startModel(
	next: (returned: string[], asked: string) => Turn,
): Promise<Model> {
	const app = Fastify();
	const offered = new Set<string>();
	app.post('/v1/chat/completions', async (request) => {
		const { messages, tools } = request.body as Asked;
		for (const tool of tools) offered.add(tool.function.name);
		const last = messages.findLastIndex(({ role }) => role === 'user');
		const texts = messages.map(({ content }) => content);
		const returned = texts.filter((_text, i) => i > last && messages[i]?.role === 'tool');
		const turn = next(returned, texts[last] ?? '');
		const message =
			'text' in turn
				? { role: 'assistant', content: turn.text }
				: {
						role: 'assistant',
						content: null,
						tool_calls: [
							{
								id: `call_${returned.length}`,
								type: 'function',
								function: { name: turn.tool, arguments: JSON.stringify(turn.args) },
							},
						],
					};
		return {
			id: `chatcmpl-${returned.length}`,
			object: 'chat.completion',
			created: 0,
			model: 'scripted',
			choices: [{ index: 0, message, finish_reason: 'text' in turn ? 'stop' : 'tool_calls' }],
			usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
		};
	});
	await app.listen({ port: 0, host: '127.0.0.1' });
	const { port } = app.server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}/v1`,
		get offered() {
			return [...offered];
		},
		close: () => app.close(),
	};
}
