import { converseError, streamedError } from './error.js';

const refusal = (name: string, message: string, status = 400) =>
  converseError({
    status,
    body: JSON.stringify({ message }),
    headers: { 'x-amzn-errortype': `${name}:http://internal.amazon.com/coral/` },
    secrets: ['geheim-1'],
  });

describe('the errors of Bedrock', () => {
  it.each([
    ['AccessDeniedException', 403, 'authentication'],
    ['ConflictException', 400, 'overloaded'],
    ['ExpiredTokenException', 403, 'authentication'],
    ['InternalServerException', 500, 'overloaded'],
    ['ModelErrorException', 424, 'overloaded'],
    ['ModelNotReadyException', 429, 'overloaded'],
    ['ModelTimeoutException', 408, 'timeout'],
    ['ResourceNotFoundException', 404, 'model_unavailable'],
    ['ServiceQuotaExceededException', 400, 'insufficient_quota'],
    ['ServiceUnavailableException', 503, 'overloaded'],
    ['ThrottlingException', 429, 'rate_limited'],
    ['UnrecognizedClientException', 403, 'authentication'],
    ['ValidationException', 400, 'invalid_request'],
    ['NoveltyException', 429, 'rate_limited'],
  ])('%s with status %d is %s', (name, status, kind) => {
    expect(refusal(name, 'What happened.', status)).toMatchObject({ kind, status });
  });

  it.each([
    ['internalServerException', 'overloaded'],
    ['modelStreamErrorException', 'overloaded'],
    ['serviceUnavailableException', 'overloaded'],
    ['throttlingException', 'rate_limited'],
    ['modelTimeoutException', 'timeout'],
    ['validationException', 'invalid_request'],
    ['noveltyException', 'bad_response'],
  ])('%s in a stream is %s', (name, kind) => {
    expect(streamedError(name, '{"message":"What happened, geheim-1."}', ['geheim-1'])).toMatchObject({
      kind,
      message: 'What happened, [redacted].',
    });
    expect(streamedError(name, 'What happened.', [])).toMatchObject({ kind, message: 'What happened.' });
  });

  it.each([
    ['Input is too long for requested model.', 'context_length_exceeded'],
    ['The model returned the following errors: prompt is too long: 214000 tokens > 200000 maximum', 'context_length_exceeded'],
    ['The model returned the following errors: Input length and `max_tokens` exceed context limit: 9 > 8', 'context_length_exceeded'],
    ['The provided model identifier is invalid.', 'model_unavailable'],
    ['Invocation of model ID anthropic.claude-x with on-demand throughput isn’t supported.', 'model_unavailable'],
    ['The model returned the following errors: Output blocked by content filtering policy', 'content_filtered'],
    ['The text field is blank: “The provided model identifier is invalid”', 'invalid_request'],
  ])('%s', (message, kind) => {
    expect(refusal('ValidationException', message)).toMatchObject({ kind, status: 400, message });
    expect(streamedError('validationException', JSON.stringify({ message }), [])).toMatchObject({ kind, message });
  });

  it('show no key, and of our own account nothing', () => {
    expect(refusal('ValidationException', 'Key geheim-1 is odd').message).toBe('Key [redacted] is odd');
    const denied = refusal('AccessDeniedException', 'User arn:aws:iam::1:user/me may not', 403);
    expect(denied.message).toBe('The provider refused our credentials (status 403)');
    expect(denied.detail).toBe('AccessDeniedException: User arn:aws:iam::1:user/me may not');
  });

  it('are read without a name, in either spelling, and of pages', () => {
    expect(converseError({ status: 400, body: '{"Message":"Bad"}', secrets: [] })).toMatchObject({
      kind: 'invalid_request',
      message: 'Bad',
    });
    expect(converseError({ status: 502, body: '<html>No</html>', secrets: [] })).toMatchObject({
      kind: 'overloaded',
      message: expect.stringMatching(/status 502/),
    });
  });
});
