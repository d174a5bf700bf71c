import { messagesError, inBandMessagesError } from './error.js';

const body = (type: string, message: string) => JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_1' });
const failed = (status: number, type: string, message: string) =>
  messagesError({ status, retryAfterMs: 2_000, body: body(type, message), secrets: ['sk-ant-secret'] });

describe('messagesError', () => {
  it.each([
    [400, 'invalid_request_error', 'max_tokens: must be positive', 'invalid_request'],
    [400, 'invalid_request_error', 'prompt is too long: 214000 tokens > 200000 maximum', 'context_length_exceeded'],
    [400, 'invalid_request_error', 'input length and `max_tokens` exceed context limit: 1 + 2 > 2', 'context_length_exceeded'],
    [400, 'invalid_request_error', 'Output blocked by content filtering policy', 'content_filtered'],
    [400, 'invalid_request_error', 'Your credit balance is too low to access the Anthropic API.', 'insufficient_quota'],
    [400, 'invalid_request_error', 'You have reached your specified API usage limits.', 'insufficient_quota'],
    [400, 'invalid_request_error', 'This organization has been disabled.', 'authentication'],
    [400, 'invalid_request_error', 'tools.0.name: Your credit balance is too low', 'invalid_request'],
    [401, 'authentication_error', 'invalid x-api-key', 'authentication'],
    [402, 'billing_error', 'Payment failed', 'insufficient_quota'],
    [403, 'permission_error', 'Not allowed', 'authentication'],
    [404, 'not_found_error', 'model: claude-none', 'model_unavailable'],
    [413, 'request_too_large', 'Request exceeds the maximum size', 'request_too_large'],
    [429, 'rate_limit_error', 'Too fast', 'rate_limited'],
    [500, 'api_error', 'Internal server error', 'overloaded'],
    [529, 'overloaded_error', 'Overloaded', 'overloaded'],
  ])('names status %d %s "%s"', (status, type, message, kind) => {
    expect(failed(status, type, message)).toMatchObject({ kind, status, retryAfterMs: 2_000 });
    expect(inBandMessagesError(body(type, message), [])).toMatchObject({ kind, status });
  });

  it('keeps the vendor’s text where it concerns the client, and never a credential', () => {
    expect(failed(400, 'invalid_request_error', 'bad field, key sk-ant-secret').message).toBe('bad field, key [redacted]');
    expect(failed(401, 'authentication_error', 'invalid x-api-key sk-ant-secret').message).not.toMatch(/x-api-key|secret/);
    expect(failed(400, 'invalid_request_error', 'Your credit balance is too low').message).not.toMatch(/credit/);
  });

  it('makes do with what is no error object', () => {
    expect(messagesError({ status: 502, body: '<html>', secrets: [] })).toMatchObject({ kind: 'overloaded', status: 502 });
    expect(inBandMessagesError('{"type":"error"}', [])).toMatchObject({ kind: 'bad_response' });
    expect(inBandMessagesError('{"type":"error","error":{"type":"new_error","message":"?"}}', [])).toMatchObject({ kind: 'bad_response' });
  });
});
