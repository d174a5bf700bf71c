import { jest } from '@jest/globals';
import { loggedError } from './logged-error.js';
import type { ModelProvider } from './model-provider.js';
import { isProviderError, ProviderError } from './provider-error.js';

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
      err: { message: 'no such field', stack: expect.stringContaining('logged-error.spec.ts:') },
    });
    now += 59_000;
    expect(log()).toBe('acme failed: Broken (no such field; its stack was logged within the last minute)');
    expect(loggedError({ id: 'other' } as ModelProvider, 'other failed', thrown)).toMatchObject({ msg: 'other failed: no such field' });
    now += 2_000;
    expect(log()).toMatchObject({ err: { message: 'no such field' } });
  });
});
