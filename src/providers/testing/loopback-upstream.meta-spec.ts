import { LoopbackUpstream } from './loopback-upstream.js';

describe('LoopbackUpstream', () => {
  it('answers with what its reply throws, so that nobody waits for it', async () => {
    const upstream = await LoopbackUpstream.start();
    upstream.replies(() => {
      throw new Error('expected another body');
    });
    const response = await fetch(upstream.origin, { signal: AbortSignal.timeout(30_000) });
    expect([response.status, await response.text()]).toEqual([500, 'Error: expected another body']);
    await upstream.stop();
  });
});
