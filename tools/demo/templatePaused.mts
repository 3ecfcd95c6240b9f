import { outputOf } from '../engine/engine.mts';
import type { ServiceResponse, Example } from './example.mts';

interface Ticket {
	title: string;
	priority: string;
	notes: { body: string }[];
}

const NAME = 'summer_offer';
const BROADCAST = 'Summer offer';

export const templatePaused: Example = {
	file: 'template-paused.json',
	title: 'Report paused templates: a ticket with the scheduled broadcasts that use the template',

	async prepare(service, _customer, platform) {
		const components = [{ type: 'BODY', text: 'Everything is half price.' }];
		await service.post('/templates', { name: NAME, category: 'MARKETING', components });
		await service.post('/templates/sync', {});
		await service.post('/broadcasts', {
			name: BROADCAST,
			templateName: NAME,
			templateLanguage: 'en_US',
			recipients: ['12025550143'],
			scheduleType: 'schedule',
			sendAt: '2099-01-01T09:00:00.000Z',
		});
		return {
			async causeEvent() {
				platform.pauseTemplate(NAME);
				return await Promise.resolve(1);
			},
			async check(run) {
				const id = outputOf(run, 'Ticket for the Team')[0]?.json.id as string | undefined;
				const { data } = await service.get<ServiceResponse<Ticket>>(`/tickets/${id ?? 'none'}`);
				const { title, priority, notes } = data.data;
				const failures: string[] = [];
				if (priority !== 'URGENT' || !notes[0]?.body.includes(`${BROADCAST}, 2099-01-01`))
					failures.push(`Expected a ticket that lists ${BROADCAST}, got "${title}"`);
				return { lines: [`${priority}  ${title}`], failures };
			},
		};
	},
};
