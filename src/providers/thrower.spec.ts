import { programFolder } from '../config/version.js';
import { throwerOf } from './thrower.js';

const modules = ['acme', 'acme-2'].map((name) => ({ types: [], place: { name, folder: `/srv/${name}` } }));
const thrownAt = (...frames: string[]) =>
  Object.assign(new Error('no'), { stack: ['Error: no', ...frames.map((at) => `    at ${at}`)].join('\n') });
const own = `async Attempt.run (file://${programFolder}/dist/inference/attempts/attempt.js:3:4)`;
const library = 'Client.query (/srv/node_modules/pg/lib/client.js:1:2)';

describe('throwerOf', () => {
  it.each([
    ['acme', ['refresh (file:///srv/acme/index.ts:4:9)']],
    ['acme', ['node:internal/timers:5:1', 'Timeout.<anonymous> (/srv/acme/lib/token.cjs:4:9)', own]],
    ['acme-2', ['file:///srv/acme-2/index.js:4:9']],
    ['acme', ['parse (/srv/acme/node_modules/yaml/index.js:1:1)', library, 'async file:///srv/acme/a%20b.js:1:1']],
    ['acme', ['file:///srv%2Facme/index.js:1:1', 'refresh (file:///srv/acme/index.ts:4:9)']],
    [undefined, [own, 'refresh (file:///srv/acme/index.ts:4:9)']],
    [undefined, [library, own]],
    [undefined, [library]],
    [undefined, []],
  ])('finds %s', (name, frames) => {
    expect(throwerOf(thrownAt(...frames), modules)?.name).toBe(name);
  });

  it.each([
    ['nothing', undefined],
    ['a text', 'at (/srv/acme/index.js:1:1)'],
    [
      'an error whose stack throws',
      Object.defineProperty(new Error(), 'stack', {
        get: () => {
          throw new Error('!');
        },
      }),
    ],
    ['an error whose stack is no text', Object.assign(new Error(), { stack: 3 })],
  ])('finds nobody for %s', (_what, thrown) => {
    expect(throwerOf(thrown, modules)).toBeUndefined();
  });
});
