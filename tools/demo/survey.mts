import axios from 'axios';
import type { ServiceResponse, Example } from './example.mts';
import { openTickets, resolve, type Ticket } from './openTickets.mts';

/** What the customers answer, each about a ticket of their own. */
const ANSWERS = [
	['good', 'It took two days'],
	['bad', 'Nobody called me'],
];

export const survey: Example = {
	file: 'survey.json',
	title: 'Survey: a link to two questions for each resolved ticket, and the answer as a note',

	async prepare(service) {
		const asked = await openTickets(service, ANSWERS.length);

		/** Fills in the form behind the link in the latest message of a chat. */
		const answer = async (chatId: string, values: string[]) => {
			const { data } = await service.get<unknown>(`/chats/${chatId}/messages`, {
				params: { take: 1 },
			});
			const [link = ''] = /http[^"\\\s]+/.exec(JSON.stringify(data)) ?? [];
			const page = await axios.get<string>(link);
			const names = [...page.data.matchAll(/<(?:select|textarea) name="([^"]+)"/g)];
			const form = new Map(names.map(([, name = ''], i) => [name, values[i]]));
			await axios.postForm(link, Object.fromEntries(form));
		};

		return {
			async causeEvent() {
				await resolve(service, asked);
				return asked.length;
			},
			async respond() {
				// The last one is the first to answer.
				for (const [i, { chat }] of [...asked.entries()].toReversed())
					await answer(chat.id, ANSWERS[i] ?? []);
			},
			async check() {
				const lines: string[] = [];
				const failures: string[] = [];
				for (const [i, { ticket }] of asked.entries()) {
					const now = await service.get<ServiceResponse<Ticket>>(`/tickets/${ticket.id}`);
					const note = now.data.data.notes.at(-1)?.body ?? 'no note';
					const [rating = '', comment = ''] = ANSWERS[i] ?? [];
					if (note !== `Survey: ${rating}\n${comment}`)
						failures.push(`Expected "${rating}" at ticket ${ticket.ticketNumber}, got "${note}"`);
					lines.push(`#${ticket.ticketNumber}  ${note.replace('\n', '. ')}`);
				}
				if (asked.length !== ANSWERS.length) failures.push('Expected two tickets to ask about');
				return { lines, failures };
			},
		};
	},
};
