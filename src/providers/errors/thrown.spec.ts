import { inspect } from 'node:util';
import { reasonOf, reportOf } from './thrown.js';
import { programFolder } from '../../config/version.js';
import { throwerOf } from '../modules/thrower.js';
import { jest } from '@jest/globals';
import { loggedError } from './logged-error.js';
import type { ModelProvider } from '../contract/model-provider.js';
import { isProviderError, ProviderError } from '../contract/provider-error.js';

const asIs = (text: string): string => text;

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

describe('What a module has thrown', () => {
  it('is told with the stacks of its causes', () => {
    const cause = new TypeError('no region');
    const { message, stack } = reportOf(new Error('cannot sign', { cause }), asIs);
    expect(message).toBe('cannot sign');
    expect(stack).toMatch(
      /^Error: cannot sign\n +at .*thrown\.spec\.ts:\d+:\d+[^]*\ncaused by: TypeError: no region\n +at .*thrown\.spec\.ts/,
    );
  });

  it('shows no secret, and nothing of an answer that was no JSON', () => {
    const thrown = (() => {
      try {
        JSON.parse('{"said": the prompt of a customer}');
      } catch (error) {
        return error;
      }
      return undefined;
    })();
    const report = reportOf(new Error('key sk-1', { cause: thrown }), (text) => text.replaceAll('sk-1', '…'));
    expect(JSON.stringify(report)).not.toContain('customer');
    expect(report.stack).toContain('is not valid JSON');
    expect(report.message).toBe('key …');
    expect(report.stack).not.toContain('sk-1');
  });

  it('has bounds, whatever was thrown', () => {
    const endless = new Error('x'.repeat(100_000));
    endless.cause = endless;
    expect(reportOf(endless, asIs).stack.length).toBeLessThanOrEqual(8_000);
    expect(reportOf('plain', asIs)).toEqual({ message: 'plain', stack: 'plain' });
    expect(reportOf(undefined, asIs).message).toBe('undefined');
  });

  it('is told in time, however long an answer the message quotes', () => {
    const thrown = new Error(`bad answer: ${'{"a": 1, "b": "c"}, '.repeat(100_000)}`);
    const start = performance.now();
    expect(reportOf(thrown, asIs).message).toMatch(/^bad answer: /);
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  it.each([
    ['a message that is no text', Object.assign(new Error('x'), { message: undefined })],
    ['a stack that is no text', Object.assign(new Error('x'), { stack: {} })],
    ['a message that throws', Object.defineProperty(new Error('x'), 'message', { get: () => JSON.parse('') as string })],
    ['no way to be shown', { [inspect.custom]: () => JSON.parse('') as string }],
    ['a revoked proxy', revoked()],
    ['no prototype', Object.create(null) as object],
    ['no text at all', Symbol('x')],
  ])('may be anything: what has %s', (_, thrown) => {
    expect(reportOf(thrown, asIs)).toEqual({ message: expect.any(String), stack: expect.any(String) });
    expect(reasonOf(thrown)).toEqual(expect.any(String));
  });

  it('is one line with the place in the module', () => {
    const error = new Error('first\nsecond');
    error.stack =
      'Error: first\nsecond\n    at node:internal/x:1:1\n    at create (file:///srv/acme/index.ts:7:11)\n    at file:///b.js:1:1';
    expect(reasonOf(error)).toBe('first (/srv/acme/index.ts:7:11)');
    error.stack = 'Error: first\n    at create (/srv/acme/index.cjs:7:11)';
    expect(reasonOf(error)).toBe('first (/srv/acme/index.cjs:7:11)');
    expect(reasonOf('plain')).toBe('plain');
  });

  it('has no place where the gateway has thrown it, whose packages lie beside it where it is installed', () => {
    const error = new TypeError('no provider');
    const nest = '    at async callModuleInitHook (file:///srv/node_modules/@nestjs/core/hooks/on-module-init.hook.js:37:9)';
    error.stack = `TypeError: no provider\n${nest}`;
    expect(reasonOf(error)).toBe('no provider');
    error.stack = `TypeError: no provider\n    at f (file:///srv/node_modules/rxjs/dist/x.js:1:1)\n${nest}\n    at file:///srv/acme/index.js:7:11`;
    expect(reasonOf(error)).toBe('no provider (/srv/acme/index.js:7:11)');
  });
});

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

const provider = { id: 'acme' } as ModelProvider;

describe('What is logged of an error', () => {
  afterEach(() => jest.restoreAllMocks());

  it('is what the vendor said, and no stack of a connection that failed', () => {
    const refused = new ProviderError('authentication', 'Refused', { detail: 'invalid_api_key: wrong' });
    expect(loggedError(provider, 'acme failed', refused)).toBe('acme failed: Refused: invalid_api_key: wrong');
    const cause = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    expect(loggedError(provider, 'acme failed', new ProviderError('unreachable', 'Gone', { cause }))).toBe('acme failed: Gone');
  });

  it('is a mistake of the module where the texts of its ProviderError are none', () => {
    const garbled = new ProviderError('authentication', 'Refused', { detail: { code: 'wrong' } as never });
    expect(isProviderError(garbled)).toBe(false);
    expect(loggedError(provider, 'acme failed', garbled)).toMatchObject({ msg: 'acme failed: Refused', err: { message: 'Refused' } });
  });

  it('has the stack of what a module has thrown, once a minute', () => {
    let now = 1_000_000;
    jest.spyOn(Date, 'now').mockImplementation(() => now);
    const thrown = new TypeError('no such field');
    const log = () => loggedError(provider, 'acme failed', new ProviderError('bad_response', 'Broken', { cause: thrown }));
    expect(log()).toMatchObject({
      msg: 'acme failed: Broken',
      err: { message: 'no such field', stack: expect.stringContaining('thrown.spec.ts:') },
    });
    now += 59_000;
    expect(log()).toBe('acme failed: Broken (no such field; its stack was logged within the last minute)');
    expect(loggedError({ id: 'other' } as ModelProvider, 'other failed', thrown)).toMatchObject({ msg: 'other failed: no such field' });
    now += 2_000;
    expect(log()).toMatchObject({ err: { message: 'no such field' } });
  });
});
