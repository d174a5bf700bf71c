import { inspect } from 'node:util';
import { reasonOf, reportOf } from './thrown.js';

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
