import { inBandError, upstreamError } from './upstream-error.js';
import { vendorError } from './vendor-error.js';

const secrets = ['sk-secret-1234'];
const of = (status: number, body: unknown) =>
  upstreamError({ status, body: typeof body === 'string' ? body : JSON.stringify(body), secrets });

describe('upstreamError', () => {
  it.each([
    [400, { error: { message: 'm', code: 'context_length_exceeded' } }, 'context_length_exceeded'],
    [
      400,
      { error: { message: 'The total length of all messages is too long.', type: 'too_many_prompt_tokens', code: 400 } },
      'context_length_exceeded',
    ],
    [
      400,
      { error: { message: 'the request exceeds the available context size (4096 tokens)', type: 'exceed_context_size_error' } },
      'context_length_exceeded',
    ],
    [
      400,
      {
        error: {
          message:
            "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 64, but got a string with length 128 instead.",
          code: 'string_above_max_length',
        },
      },
      'offer_limit',
    ],
    [
      400,
      {
        error: {
          message: "Invalid 'messages[0].content': string too long. Expected a string with maximum length 10485760.",
          code: 'string_above_max_length',
        },
      },
      'context_length_exceeded',
    ],
    [400, { error: { message: "Invalid 'tools': array too long.", code: 'array_above_max_length' } }, 'offer_limit'],
    [
      400,
      { message: 'Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.', type: 'invalid_request_message_order' },
      'offer_limit',
    ],
    [
      400,
      { type: 'error', error: { type: 'invalid_request_error', message: 'tools.0.custom.name: String should have at most 64 characters' } },
      'offer_limit',
    ],
    [400, { message: "Value at 'toolConfig' failed: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+" }, 'offer_limit'],
    [
      400,
      { error: { message: 'Conversation roles must alternate user/assistant/user/assistant/...', type: 'BadRequestError' } },
      'offer_limit',
    ],
    [
      500,
      { error: { code: 500, message: 'Error: Jinja Exception: No user query found in messages.', type: 'server_error' } },
      'offer_limit',
    ],
    [500, { error: 'system message must be at the beginning' }, 'offer_limit'],
    [400, { message: 'Prompt is too long: 9 tokens > 8 maximum' }, 'context_length_exceeded'],
    [400, { message: "This model's maximum context length is 4096 tokens. However, you requested 5000" }, 'context_length_exceeded'],
    [400, { error: { message: 'The prompt was filtered.', code: 'content_filter' } }, 'content_filtered'],
    [400, [{ error: { code: 400, message: 'API key not valid. Please pass a valid API key.' } }], 'authentication'],
    [400, { error: { message: 'no such model', code: 'model_not_found' } }, 'model_unavailable'],
    [413, { error: { message: 'Request too large for model', code: 'rate_limit_exceeded' } }, 'request_too_large'],
    [413, '<html>', 'request_too_large'],
    [413, { error: { message: "Invalid 'tools': array too long. Expected an array with maximum length 128." } }, 'request_too_large'],
    [
      429,
      { error: { message: 'Request too large for gpt in organization org-1 on tokens per min (TPM)', code: 'rate_limit_exceeded' } },
      'request_too_large',
    ],
    [429, { error: { message: 'Rate limit reached in organization org-1', code: 'rate_limit_exceeded' } }, 'rate_limited'],
    [403, { error: { message: 'Your chosen model requires moderation and your input was flagged', code: 403 } }, 'content_filtered'],
    [403, { error: 'Content violates usage guidelines. Team: x', code: 'permission-denied' }, 'content_filtered'],
    [403, { error: { message: 'Access to the chat endpoint is denied', code: 'permission-denied' } }, 'authentication'],
    [400, { error: { message: 'm', code: 'content_filter', innererror: { code: 'ResponsibleAIPolicyViolation' } } }, 'content_filtered'],
    [404, { error: { message: 'm', code: 'DeploymentNotFound' } }, 'model_unavailable'],
    [403, { error: { message: 'no access to model', code: 'model_not_found' } }, 'model_unavailable'],
    [400, { error: { message: 'Incorrect API key provided: x', code: 'Client specified an invalid argument' } }, 'authentication'],
    [403, { error: { message: 'The prompt is too long a story' } }, 'authentication'],
    [429, { error: { message: 'm', type: 'insufficient_quota' } }, 'insufficient_quota'],
    [429, '<html>', 'rate_limited'],
    [451, '', 'invalid_request'],
    [504, '', 'timeout'],
    [524, 'no json', 'overloaded'],
    [302, '', 'bad_response'],
  ])('%s %j is %s', (status, body, kind) => expect(of(status, body)).toMatchObject({ kind, status }));

  it('keeps the vendor’s words where they speak of the request, in whichever shape they come', () => {
    for (const body of [
      { error: { message: 'why' } },
      { error: 'why' },
      { message: 'why' },
      { detail: 'why' },
      { detail: [{ msg: 'why' }] },
      [{ error: { message: 'why' } }],
    ]) {
      expect(of(400, body).message).toBe('why');
    }
    expect(of(422, { detail: [{ loc: ['body'], msg: 'field required' }, { msg: 'too short' }] }).message).toBe('field required; too short');
    expect(of(400, 'plain words').message).toBe('The provider answered with an error (status 400)');
  });

  it('hides them where they speak of our account', () => {
    expect(of(401, { error: { message: 'Incorrect API key sk-secret-1234' } }).message).toBe(
      'The provider refused our credentials (status 401)',
    );
    expect(of(402, { error: { message: 'org-1 owes 5 dollars' } }).message).toBe('Our account with the provider is used up (status 402)');
    expect(of(403, { error: 'Content violates usage guidelines. Team: t-1' }).message).toBe(
      'The provider refused the content (status 403)',
    );
    expect(of(400, { error: { message: 'bad header sk-secret-1234' } }).message).toBe('bad header [redacted]');
  });
});

describe('inBandError', () => {
  const kindOf = (body: unknown) => inBandError(vendorError(body)!, secrets).kind;

  it.each([
    [{ error: { message: 'm', code: 429 } }, 'rate_limited'],
    [{ error: { message: 'm', code: '503' } }, 'overloaded'],
    [{ error: { message: 'm', type: 'overloaded_error' } }, 'overloaded'],
    [{ error: { message: 'm', type: 'internal_server_error' } }, 'overloaded'],
    [{ error: { message: 'm', type: 'timeout_error' } }, 'timeout'],
    [{ error: { message: 'm', type: 'invalid_request_error' } }, 'invalid_request'],
    [{ error: { message: 'm', code: 'context_length_exceeded' } }, 'context_length_exceeded'],
    [{ error: 'broken' }, 'bad_response'],
  ])('%j is %s', (body, kind) => expect(kindOf(body)).toBe(kind));

  it.each([[{}], [{ error: null }], [{ error: {} }], [{ id: 'x', usage: {} }], ['text'], [null], [[]]])('%j is no error', (body) =>
    expect(vendorError(body)).toBeUndefined(),
  );
});

describe('What a vendor says of our own account', () => {
  const refusal = (status: number, error: object) => upstreamError({ status, body: JSON.stringify({ error }), secrets });

  it('is for the log alone, with its codes and without our key', () => {
    const wrong = refusal(401, { message: 'Incorrect API key provided: sk-secret-1234', code: 'invalid_api_key', type: 'auth' });
    expect(wrong.message).toBe('The provider refused our credentials (status 401)');
    expect(wrong.detail).toBe('invalid_api_key: auth: Incorrect API key provided: [redacted]');
    const denied = refusal(403, { message: 'Project p has no access to model m', code: 'model_access_denied' });
    expect([denied.message, denied.detail]).toEqual([
      'The provider refused our credentials (status 403)',
      'model_access_denied: Project p has no access to model m',
    ]);
    expect(refusal(402, { message: 'x'.repeat(5_000) }).detail).toHaveLength(300);
    expect(upstreamError({ status: 401, body: '', secrets }).detail).toBeUndefined();
  });

  it('is not told of what it says about the content of a request', () => {
    expect(refusal(403, { message: 'Your input was flagged: <the prompt>' })).toMatchObject({
      kind: 'content_filtered',
      detail: undefined,
    });
  });
});
