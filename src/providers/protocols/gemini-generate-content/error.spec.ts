import { generateContentError, inBandGenerateContentError } from './error.js';

const key = 'AIzaSyTestTestTestTestTestTestTestTest0';

function answered(status: number, error: Record<string, unknown>, retryAfterMs?: number) {
  return generateContentError({ status, retryAfterMs, body: JSON.stringify({ error: { code: status, ...error } }), secrets: [key] });
}

const violation = (quotaId: string) => ({ '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId }] });
const retry = (retryDelay: string) => ({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay });

describe('generateContentError', () => {
  it.each([
    [400, 'INVALID_ARGUMENT', 'Invalid value at tools[0]', 'invalid_request'],
    [
      400,
      'INVALID_ARGUMENT',
      'The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).',
      'context_length_exceeded',
    ],
    [
      400,
      'INVALID_ARGUMENT',
      'Unable to submit request because the input token count is 40000 but model only supports up to 32768.',
      'context_length_exceeded',
    ],
    [400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', 'authentication'],
    [400, 'INVALID_ARGUMENT', 'API key expired. Please renew the API key.', 'authentication'],
    [400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.', 'authentication'],
    [401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.', 'authentication'],
    [403, 'PERMISSION_DENIED', 'Permission denied on resource project.', 'authentication'],
    [403, 'PERMISSION_DENIED', 'You do not have permission to access the File abc or it may not exist.', 'invalid_request'],
    [404, 'NOT_FOUND', 'models/x is not found for API version v1beta', 'model_unavailable'],
    [429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).', 'rate_limited'],
    [429, 'RESOURCE_EXHAUSTED', 'Quota exceeded for metric: requests, limit: 1000000, model: m', 'rate_limited'],
    [429, 'RESOURCE_EXHAUSTED', 'Quota exceeded for metric: requests, limit: 0, model: m', 'insufficient_quota'],
    [429, 'RESOURCE_EXHAUSTED', 'Your prepayment credits are depleted.', 'insufficient_quota'],
    [500, 'INTERNAL', 'An internal error has occurred.', 'overloaded'],
    [503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.', 'overloaded'],
    [504, 'DEADLINE_EXCEEDED', 'Deadline expired before operation could complete.', 'timeout'],
    [418, 'NEW', 'something new', 'invalid_request'],
    [599, 'NEW', 'something new', 'overloaded'],
  ])('%i %s, %j is %s', (status, name, message, kind) => {
    expect(answered(status, { status: name, message })).toMatchObject({ kind, status });
  });

  it('knows a refused key by its reason alone', () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID', domain: 'googleapis.com' }];
    expect(answered(400, { status: 'INVALID_ARGUMENT', message: 'Bad.', details }).kind).toBe('authentication');
  });

  it('tells a day’s quota from a minute’s', () => {
    const message = 'You exceeded your current quota, please check your plan and billing details.';
    const minute = answered(429, {
      status: 'RESOURCE_EXHAUSTED',
      message,
      details: [violation('GenerateRequestsPerMinutePerProjectPerModel')],
    });
    const day = answered(429, {
      status: 'RESOURCE_EXHAUSTED',
      message,
      details: [violation('GenerateRequestsPerDayPerProjectPerModel-FreeTier')],
    });
    expect([minute.kind, day.kind]).toEqual(['rate_limited', 'insufficient_quota']);
    expect(minute.message).toBe(message);
    expect(day.message).not.toContain('billing');
  });

  it.each([
    ['37s', 37_000],
    ['34.4s', 34_400],
    ['0.000000001s', 1],
    ['999999999s', 86_400_000],
    ['soon', undefined],
    ['-3s', undefined],
  ])('reads the delay %j', (delay, ms) => {
    expect(answered(429, { status: 'RESOURCE_EXHAUSTED', message: 'm', details: [retry(delay)] }).retryAfterMs).toBe(ms);
  });

  it('believes the header before the body', () => {
    expect(answered(429, { status: 'RESOURCE_EXHAUSTED', details: [retry('37s')] }, 5_000).retryAfterMs).toBe(5_000);
  });

  it('reads the form that a stream’s error has', () => {
    const body = JSON.stringify([{ error: { code: 404, status: 'NOT_FOUND', message: 'not here' } }]);
    expect(generateContentError({ status: 404, body, secrets: [] })).toMatchObject({ kind: 'model_unavailable', message: 'not here' });
  });

  it.each(['', '<html>502</html>', '[]', '{}', '{"error":"text"}', '{"error":{"details":{},"message":5,"status":null}}', 'null'])(
    'makes do with the body %j',
    (body) => {
      expect(generateContentError({ status: 502, body, secrets: [] })).toMatchObject({ kind: 'overloaded', status: 502 });
    },
  );

  it('never gives our key away', () => {
    const error = answered(400, { status: 'INVALID_ARGUMENT', message: `Bad value for ${key}` });
    expect(error.kind).toBe('invalid_request');
    expect(error.message).not.toContain(key);
    expect(answered(403, { status: 'PERMISSION_DENIED', message: 'Consumer project_number:12 is suspended' }).message).not.toContain('12');
  });
});

describe('inBandGenerateContentError', () => {
  it('takes the status from the error itself', () => {
    expect(inBandGenerateContentError({ code: 503, status: 'UNAVAILABLE', message: 'busy' }, [])).toMatchObject({
      kind: 'overloaded',
      status: 503,
      message: 'busy',
    });
  });

  it.each([{}, 'text', null, { message: 'what?' }])('is a bad response where nothing is said: %j', (error) => {
    expect(inBandGenerateContentError(error, []).kind).toBe('bad_response');
  });
});
