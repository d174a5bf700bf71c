import { configSchema } from '../config/config.schema.js';
import { StartError } from '../config/start-error.js';
import { startupErrorMessage } from './startup-error.js';

describe('What is said of a start that fails', () => {
  const entry = { type: 'acme', base_url: 'http://127.0.0.1:1', api_key: 'sk-of-the-entry-1' };
  const config = configSchema.parse({ providers: { acme: entry } });

  it('is one line where the operator can mend it, and the stack of any other error', () => {
    expect(startupErrorMessage(new StartError('no such file'), config)).toBe('no such file');
    expect(startupErrorMessage(Object.assign(new Error('x'), { code: 'EADDRINUSE' }), config)).toMatch(
      /^Port 8080 on 127\.0\.0\.1 is in use/,
    );
    expect(startupErrorMessage(new TypeError('oh'), undefined)).toMatch(/^TypeError: oh\n +at .*startup-error\.spec\.ts:/);
  });

  it('shows no key that a module has put into its error', () => {
    const cause = new Error('asked with sk-of-the-entry-1');
    const said = startupErrorMessage(new Error('no token for sk-of-the-entry-1', { cause }), config);
    expect(said).toMatch(/^Error: no token for \[redacted\]\n/);
    expect(said).toMatch(/\ncaused by: Error: asked with \[redacted\]\n/);
  });

  it.each([null, undefined, 'plain', 7])('may be about anything that a module throws: %p', (thrown) => {
    expect(startupErrorMessage(thrown, config)).toBe(String(thrown));
  });
});
