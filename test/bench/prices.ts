import type { Measurement } from './bench.ts';
import { addInterval, pairs } from './pairs.ts';
import type { Target } from './processes.ts';
import { small } from './requests.ts';

/** Per cent of CPU by which prices may make a request dearer. */
const AT_MOST = 2;

/**
 * In one process, where only the price differs: the same answer, of which one price charges all tokens at two numbers.
 */
export const components: Measurement = {
  name: 'prices: components',
  oursOnly: true,
  fullOnly: true,
  ownProcesses: true,
  async run(bench) {
    const gateway = await bench.freshGateway();
    try {
      const [numbers, parts] = ['numbers', 'components'].map((model): Target => ({ ...gateway, model }));
      const load = { shape: small, connections: 16 };
      const ratios = await pairs(numbers!, parts!, bench.full ? 400 : 150, load);
      addInterval(bench, 'a request at a price of components, by two numbers', AT_MOST, ratios, 'pairs in one process');
    } finally {
      await gateway.stop();
    }
  },
};
