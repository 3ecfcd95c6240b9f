import { outputOf } from '../engine/engine.mts';
import type { ServiceResponse, Example } from './example.mts';

const HOUR_MS = 3_600_000;

/** The UTC days of the year around now, as MM-dd: at any time zone's date, exactly one of them is today. */
const days = [-24, 0, 24].map((hours) =>
	new Date(Date.now() + hours * HOUR_MS).toISOString().slice(5, 10),
);

export const birthdays: Example = {
	file: 'birthdays.json',
	title: 'Congratulate on birthdays: every hour from nine, each contact once a year',

	async prepare(service) {
		const params = { channel: 'WHATSAPP', limit: days.length, page: 2 };
		const { data } = await service.get<ServiceResponse<{ id: string }[]>>('/contacts', { params });
		for (const [i, { id }] of data.data.entries()) {
			const field = { label: 'birthday', value: `1996-${days[i] ?? ''}` };
			await service.post(`/contacts/${id}/fields`, field);
		}
		const sent: unknown[] = [];
		return {
			// An hour later.
			continueWith(run) {
				sent.push(...outputOf(run, 'Congratulate').map(({ json }) => json.sent));
				return { trigger: 'Every Hour From Nine', item: { json: {} } };
			},
			async check(run) {
				sent.push(...outputOf(run, 'Congratulate').map(({ json }) => json.sent));
				const failures =
					JSON.stringify(sent) === '[true,false]'
						? []
						: ['Expected one message, and none an hour later'];
				const lines = ['1 message to the contact whose birthday is today, none an hour later'];
				return await Promise.resolve({ lines, failures });
			},
		};
	},
};
