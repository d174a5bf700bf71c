import { completionEnvelope } from './completion-envelope.js';

describe('completionEnvelope', () => {
  it('has the request’s id and the time in seconds', () => {
    const before = Math.floor(Date.now() / 1000);
    const made = completionEnvelope('chatcmpl', 'm', '0190');
    expect(made).toMatchObject({ id: 'chatcmpl-0190', model: 'm' });
    expect(made.created).toBeGreaterThanOrEqual(before);
    expect(made.created).toBeLessThanOrEqual(Date.now() / 1000);
  });
});
