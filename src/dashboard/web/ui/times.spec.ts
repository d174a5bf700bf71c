import { clockOf, when } from './times';

const now = Date.parse('2026-11-03T14:05:30Z');
const before = (seconds: number): string => new Date(now - seconds * 1_000).toISOString();

it.each([
  [3, 'just now'],
  [125, '2 min. ago'],
  [7_300, '2 hr. ago'],
  [-125, 'in 2 min.'],
])('says the clock beside a distance: %d seconds before is %s', (seconds, distance) =>
  expect(when(before(seconds), now)).toBe(`${distance}, ${clockOf(now - seconds * 1_000)}`),
);

it('says the date of what is a day or more away, and its clock for half a year', () => {
  expect(when(before(90_000), now)).toMatch(/\bNov\b.*\d:\d\d/);
  expect(when(before(300 * 86_400), now)).toMatch(/^[^:]*2026$/);
});
