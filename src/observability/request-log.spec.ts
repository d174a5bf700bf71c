import type { EndedRequest } from '../http/server/open-requests.js';
import { fieldsOf } from './request-log.js';

const fields = (request: object, status = 200): unknown => {
  const ended = {
    request: { id: 'id', method: 'POST', routeOptions: { url: '/v1/chat/completions' }, ...request },
    reply: { raw: { statusCode: status } },
    ms: 3.0499,
    answered: true,
  };
  return JSON.parse(`{${fieldsOf(ended as unknown as EndedRequest)}}`);
};

const always = { id: 'id', method: 'POST', route: '/v1/chat/completions', status: 200, answered: true, ms: 3, msg: 'request' };

describe('the line of a request', () => {
  it('names who, what, how it ended and how long it took', () => {
    expect(fields({ body: { model: 'm', messages: ['secret'] }, principal: { keyId: 'key_1' } })).toEqual({
      ...always,
      key: 'key_1',
      model: 'm',
    });
    expect(fields({ errorCode: 'rate_limit_exceeded' }, 429)).toEqual({ ...always, status: 429, code: 'rate_limit_exceeded' });
    expect(fields({ routeOptions: {}, body: { model: 7 } })).toEqual({ ...always, route: undefined });
  });

  it('is one line of JSON whatever the client calls its model, and of bounded length', () => {
    const model = '"\\\n\u2028\u0000\ud800é';
    expect(fields({ body: { model } })).toEqual({ ...always, model });
    expect(fields({ body: { model: 'x'.repeat(1_000) } })).toEqual({ ...always, model: 'x'.repeat(128) });
  });
});
