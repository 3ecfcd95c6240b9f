import { broadcastStart } from '../../../nodes/ConversationalMessaging/resources/broadcast/start.ts';

describe('the start of a broadcast', () => {
	const quietHours = { from: 21 * 60, until: 8 * 60 };
	const guards = {
		quietHours,
		recipientTimeZone: 'Europe/Berlin',
		skipRepeated: false,
		allowsIncompleteExclusion: false,
		any: true,
	};
	const moment = (iso: string) => ({ iso, ms: Date.parse(iso) });
	const NIGHT = Date.parse('2031-05-06T23:30:00+02:00');
	const NOON = Date.parse('2031-05-06T12:00:00+02:00');

	test('a chosen time is sent in UTC, and unchanged outside of the quiet hours', () => {
		const at = moment('2031-05-06T12:00:00+02:00');
		expect(broadcastStart({ sendAt: at, guards }, NOON - 1)).toStrictEqual({
			scheduleType: 'schedule',
			sendAt: '2031-05-06T10:00:00.000Z',
			ms: at.ms,
			notes: [],
		});
		const quiet = moment('2031-05-06T21:00:00+02:00');
		expect(broadcastStart({ sendAt: quiet, guards }, NOON)).toMatchObject({
			sendAt: '2031-05-07T06:00:00.000Z',
			postponedFrom: quiet.ms,
		});
		// It is only three in the afternoon for these recipients.
		expect(
			broadcastStart(
				{ sendAt: quiet, guards: { ...guards, recipientTimeZone: 'America/New_York' } },
				NOON,
			).postponedFrom,
		).toBeUndefined();
	});

	test('a chosen time that has passed while the request waited starts now', () => {
		const evening = moment('2031-05-06T20:59:00+02:00');
		expect(broadcastStart({ sendAt: evening, guards }, NIGHT)).toMatchObject({
			sendAt: '2031-05-07T06:00:00.000Z',
			postponedFrom: NIGHT,
			notes: [
				'Quiet Hours: starts Wednesday 7 May 2031 08:00, Europe/Berlin, instead of Tuesday 6 May 2031 23:30, Europe/Berlin',
			],
		});
	});
});
