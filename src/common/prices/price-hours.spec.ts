import { isWithin, nameOfHours, parseHours } from './price-hours.js';

/** A Monday. */
const monday = (hours: number, minutes = 0) => Date.UTC(2026, 10, 23, hours, minutes);

describe('the hours of a price', () => {
  it.each([
    ['01:00', '04:00', undefined, [monday(1), monday(3, 59)], [monday(0, 59), monday(4)]],
    ['22:00', '02:00', undefined, [monday(22), monday(23, 59), monday(24), monday(1, 59)], [monday(2), monday(21, 59)]],
    ['22:00', '24:00', undefined, [monday(22), monday(23, 59)], [monday(24), monday(21, 59)]],
    ['01:00', '04:00', ['mon'], [monday(1)], [monday(1 + 24), monday(1 - 24)]],
    ['22:00', '02:00', ['mon'], [monday(22), monday(25)], [monday(1), monday(46)]],
    ['00:00', '24:00', ['sun'], [monday(-1)], [monday(0)]],
  ] as const)('%s to %s, %s', (from, to, days, inside, outside) => {
    const hours = parseHours({ from, to, days });
    expect(inside.map((at) => isWithin(hours, at))).toEqual(inside.map(() => true));
    expect(outside.map((at) => isWithin(hours, at))).toEqual(outside.map(() => false));
  });

  it('are named as they are told', () => {
    expect(nameOfHours(parseHours({ from: '01:05', to: '24:00' }))).toBe('01:05-24:00');
    expect(nameOfHours(parseHours({ from: '22:00', to: '02:00', days: ['mon', 'tue'] }))).toBe('22:00-02:00 mon,tue');
  });

  it.each(['24:01', '25:00', '1:00', '12:60', 'noon', ''])('are none at %j', (time) =>
    expect(() => parseHours({ from: time, to: '12:00' })).toThrow(RangeError),
  );
});
