import { environmentProxy } from './environment-proxy.js';

const HTTPS_PROXY = 'http://proxy.example:3128';

describe('environmentProxy', () => {
  it.each([
    ['https://api.openai.com/v1', { HTTPS_PROXY }, HTTPS_PROXY],
    ['https://api.openai.com/v1', { HTTPS_PROXY, https_proxy: 'http://lower.example' }, 'http://lower.example'],
    ['https://api.openai.com/v1', { HTTPS_PROXY: 'proxy.example:3128' }, HTTPS_PROXY],
    ['https://api.openai.com/v1', { HTTP_PROXY: HTTPS_PROXY }, undefined],
    ['http://10.0.0.7:8000/v1', { HTTP_PROXY: HTTPS_PROXY, HTTPS_PROXY: 'http://other' }, HTTPS_PROXY],
    ['https://api.openai.com/v1', {}, undefined],
    ['https://api.openai.com/v1', { HTTPS_PROXY: '' }, undefined],
  ] as [string, Record<string, string>, string | undefined][])('of %s, where the environment has %j', (address, env, expected) =>
    expect(environmentProxy(address, env)?.value).toBe(expected),
  );

  it.each(['localhost', '127.0.0.1', '127.9.9.9', '[::1]', 'models.localhost'])('is never asked for %s', (host) =>
    expect(environmentProxy(`https://${host}:11434`, { HTTPS_PROXY })).toBeUndefined(),
  );

  it.each([
    ['api.example.com', 'api.example.com', false],
    ['example.com', 'api.example.com', false],
    ['.example.com', 'api.example.com', false],
    ['*.example.com', 'API.example.com', false],
    ['example.com', 'notexample.com', true],
    ['other, example.com', 'example.com', false],
    ['*', 'example.com', false],
    ['example.com:443', 'example.com', false],
    ['example.com:8443', 'example.com', true],
    ['10.0.0.0/8', '10.1.2.3', false],
    ['10.0.0.0/8', '11.1.2.3', true],
    ['10.0.0.0/8', 'ten.example.com', true],
    ['fd00::/8', '[fd00::1]', false],
    ['fd00::1', '[fd00::1]', false],
    ['10.0.0.0/99', '10.1.2.3', true],
    ['192.168.1.7', '192.168.1.7', false],
  ])('NO_PROXY=%s, %s: asked %p', (NO_PROXY, host, asked) =>
    expect(environmentProxy(`https://${host}/v1`, { HTTPS_PROXY, NO_PROXY }) !== undefined).toBe(asked),
  );
});
