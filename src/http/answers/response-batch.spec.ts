import { Logger } from '@nestjs/common';
import { type PendingResponse, ResponseBatch } from './response-batch.js';

class Response implements PendingResponse {
  state = 'ready';

  constructor(private readonly onSend: () => void = () => undefined) {}

  send(): void {
    this.onSend();
    this.state = 'sent';
  }

  fail(): void {
    this.state = 'failed';
  }
}

describe('ResponseBatch', () => {
  beforeAll(() => Logger.overrideLogger(false));
  afterAll(() => Logger.overrideLogger(['log', 'error', 'warn']));

  it('sends all responses of a turn at its end', async () => {
    const batch = new ResponseBatch();
    const responses = [new Response(), new Response()];
    for (const response of responses) batch.add(response);
    await Promise.resolve();
    expect(responses.map(({ state }) => state)).toEqual(['ready', 'ready']);
    await new Promise(setImmediate);
    expect(responses.map(({ state }) => state)).toEqual(['sent', 'sent']);
  });

  it('delivers at once on request, together with what is added meanwhile', () => {
    const batch = new ResponseBatch();
    const late = new Response();
    batch.add(new Response(() => batch.add(late)));
    batch.deliver();
    expect(late.state).toBe('sent');
  });

  it('sends the others when one fails', () => {
    const batch = new ResponseBatch();
    const broken = new Response(() => {
      throw new Error('broken');
    });
    const other = new Response();
    batch.add(broken);
    batch.add(other);
    expect(() => batch.deliver()).not.toThrow();
    expect([broken.state, other.state]).toEqual(['failed', 'sent']);
  });
});
