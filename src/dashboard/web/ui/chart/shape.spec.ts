import { areasOf, linesOf, scalesOf } from './shape';

it('draws what was measured and nothing between', () => {
  const series = [{ name: 'Balance', color: 'red', values: [0, 0, 10].map((size) => ({ size, text: String(size) })) }];
  const scales = scalesOf(series, 3, 'areas', { width: 300, height: 106, left: 0, bottom: 0 }, false);
  const steps = 'M50,106L100,106L100,106L200,106L200,6L250,6';
  expect([areasOf(series, scales)[0]!.edge, linesOf(series, scales)[0]]).toEqual([steps, steps]);
});
