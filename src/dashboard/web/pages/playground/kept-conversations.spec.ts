import { MAX_KEPT, MAX_SIZE, type Summary, tooMany } from './kept-conversations';

const summary = (age: number, size: number): Summary => ({
  id: `${age}`,
  owner: 'me',
  title: '',
  models: [],
  updatedAt: 1_000 - age,
  size,
});

it('forgets the oldest conversations beyond their number', () => {
  const all = Array.from({ length: MAX_KEPT + 2 }, (_, age) => summary(age, 10));
  expect(tooMany(all.toReversed())).toEqual([`${MAX_KEPT}`, `${MAX_KEPT + 1}`]);
  expect(tooMany(all.slice(2))).toEqual([]);
});

it('forgets the oldest conversations beyond their size, and never the newest', () => {
  expect(tooMany([summary(2, MAX_SIZE / 2), summary(0, MAX_SIZE / 4), summary(1, MAX_SIZE / 2)])).toEqual(['2']);
  expect(tooMany([summary(1, 1), summary(0, MAX_SIZE * 2)])).toEqual(['1']);
});
