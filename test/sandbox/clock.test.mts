import { fastClock, iso, ManualClock, systemClock } from '../../sandbox/clock.mts';

const START = Date.UTC(2026, 0, 15, 9, 0, 0);
afterEach(() => jest.restoreAllMocks());

test('the clock of the system has the real time', () => {
	jest.spyOn(Date, 'now').mockReturnValue(START);
	expect(systemClock.now()).toBe(START);
});

test('a fast clock starts at the real time, and every second of that is as many as told', () => {
	const now = jest.spyOn(Date, 'now').mockReturnValue(START);
	const clock = fastClock(10);
	expect(clock.now()).toBe(START);
	now.mockReturnValue(START + 1_500);
	expect(clock.now()).toBe(START + 15_000);
});

test('a stopped clock has the time to which it was advanced', () => {
	const clock = new ManualClock();
	expect(iso(clock.now())).toBe('2026-01-15T09:00:00.000Z');
	clock.advance(1);
	clock.advance(59_999);
	expect(iso(clock.now())).toBe('2026-01-15T09:01:00.000Z');
	expect(new ManualClock(7).now()).toBe(7);
});
