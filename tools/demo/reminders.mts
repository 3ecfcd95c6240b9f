import { outputOf } from '../engine/engine.mts';
import type { ServiceResponse, Example } from './example.mts';
import type { Ticket } from './openTickets.mts';

/** The rows whose number can be used, by the number that is sent to. */
const REACHABLE: Record<string, string> = {
	'12025550191': 'Nathan Smith',
	'12025550192': 'Ann Lee',
	'447700900123': 'Maria Rossi',
	'447700900124': 'Kim Chen',
};

const UNREACHABLE = ['Eva Novak', 'Ola Berg'];

export const reminders: Example = {
	file: 'reminders.json',
	title: 'Remind customers: a template per row of a sheet, and a report of who got it',

	async prepare(service) {
		/** What a number got, as one text. */
		const messagesTo = async (waId: string): Promise<string> => {
			const chats = await service.get<ServiceResponse<{ id: string }[]>>('/chats', {
				params: { waId },
			});
			const id = chats.data.data[0]?.id ?? 'none';
			const messages = await service.get<unknown>(`/chats/${id}/messages`);
			return JSON.stringify(messages.data);
		};

		return await Promise.resolve({
			async check(run) {
				const failures: string[] = [];
				for (const [waId, name] of Object.entries(REACHABLE)) {
					const messages = await messagesTo(waId).catch(() => '');
					if (!messages.includes('appointment') || !messages.includes(name))
						failures.push(`Expected a reminder with the name ${name} at ${waId}`);
				}
				const id = outputOf(run, 'Ticket with the Report')[0]?.json.id as string | undefined;
				const { data } = await service.get<ServiceResponse<Ticket & { title: string }>>(
					`/tickets/${id ?? 'none'}`,
				);
				const { title, notes } = data.data;
				const lines = notes[0]?.body.split('\n') ?? [];
				const notSent = lines.filter((line) => line.includes(', not sent, '));
				if (!UNREACHABLE.every((name, i) => notSent[i]?.startsWith(name)))
					failures.push(`Expected reasons for ${UNREACHABLE.join(' and ')} in the report`);
				const sent = lines.filter((line) => line.endsWith(', sent')).length;
				if (sent !== 4 || title !== 'Reminders: 4 of 6 customers got theirs')
					failures.push(`Expected a report of 4 of 6, got "${title}"`);
				return { lines: [title, ...lines], failures };
			},
		});
	},
};
