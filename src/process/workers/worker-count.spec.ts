import { availableParallelism } from 'node:os';
import { configSchema } from '../../config/config.schema.js';
import { loadConfig } from '../../config/load-config.js';
import { workerCount } from './worker-count.js';

describe('workerCount', () => {
  const shared = { database_url: 'postgres://x' };

  it('is one, or what is asked for, or one for each core', () => {
    expect(workerCount(configSchema.parse({}))).toBe(1);
    expect(workerCount(configSchema.parse({ server: { workers: 3 }, store: shared }))).toBe(3);
    expect(workerCount(configSchema.parse({ server: { workers: 'max' }, store: shared }))).toBe(availableParallelism());
  });

  it('is refused in one line where the workers could not share the store', () => {
    const refused = () => workerCount(configSchema.parse({ server: { workers: 2 } }));
    expect(refused).toThrow(/^server\.workers is 2, and the embedded store belongs to one process: [^\n]*DATABASE_URL[^\n]*$/);
  });

  it.each([
    ['4', 4],
    ['max', 'max'],
  ])('is read from SWITCHYARD_WORKERS: %s', (SWITCHYARD_WORKERS, workers) => {
    expect(loadConfig({ env: { SWITCHYARD_WORKERS }, cwd: '/nowhere' }).server.workers).toBe(workers);
  });

  it.each(['0', '-1', '1.5', 'two', '257'])('is refused in one line where it is %s', (SWITCHYARD_WORKERS) => {
    expect(() => loadConfig({ env: { SWITCHYARD_WORKERS }, cwd: '/nowhere' })).toThrow(
      /^Configuration: SWITCHYARD_WORKERS: server\.workers must be [^\n]+$/,
    );
  });
});
