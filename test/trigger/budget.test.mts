/** How the polls of a trigger share its requests. The models check the rest: turns, repeats, waits (modelOfAllEvents). */
import fc from 'fast-check';
import { RequestBudget } from '../../nodes/ConversationalMessaging/trigger/budget.ts';
import { useFakeTime } from '../support/time.mts';

const time = useFakeTime();

test('each poll of a minute has an equal part of half of the rate limit, whatever the others sent', () => {
	fc.assert(
		fc.property(
			fc.integer({ min: 1, max: 12 }),
			fc.integer({ min: 20, max: 700 }),
			fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 60, maxLength: 60 }),
			(perMinute, windowSize, shares) => {
				const budget = new RequestBudget();
				const most = Math.min(300, Math.floor(windowSize / 2));
				const sent: number[] = [];
				for (const [i, share] of shares.entries()) {
					time.clock.advance(60_000 / perMinute);
					const own = budget
						.begin([{ event: 'messageReceived', needed: 0, weight: 1 }], () => windowSize)
						.get('messageReceived')!;
					// At first, it is not known how many polls a minute has.
					if (i >= 2 * perMinute)
						expect(own.left).toBeGreaterThanOrEqual(Math.floor(most / perMinute));
					let count = 0;
					for (const wanted = Math.ceil(own.left * share); count < wanted && own.take(); count++);
					sent.push(count);
					const inMinute = sent.slice(-perMinute).reduce((sum, each) => sum + each, 0);
					expect(inMinute).toBeLessThanOrEqual(most);
				}
			},
		),
	);
});

test('right after publishing, with several poll times, each poll has what it needs, however much the ones before it sent', () => {
	fc.assert(
		fc.property(
			fc.integer({ min: 2, max: 12 }),
			fc.integer({ min: 1, max: 8 }),
			fc.integer({ min: 0, max: 200 }),
			fc.integer({ min: 0, max: 59_999 }),
			(pollTimes, needed, more, offset) => {
				const windowSize = 4 * needed * (pollTimes + 1) + more;
				const budget = new RequestBudget();
				const everyMs = 60_000 / pollTimes;
				for (let poll = 0; poll < 3 * pollTimes; poll++) {
					const own = budget
						.begin([{ event: 'messageReceived', needed, weight: 1 }], () => windowSize, pollTimes)
						.get('messageReceived');
					expect(own?.left).toBeGreaterThanOrEqual(needed);
					while (own?.take());
					time.clock.advance(poll === 0 ? offset % everyMs : everyMs);
				}
			},
		),
	);
});
