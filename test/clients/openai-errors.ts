import type OpenAI from 'openai';
import type { APIError } from 'openai';
import type { ErrorBody } from '../../src/wire/error.js';
import type { OpenAISuite } from './openai-suite.js';

type Expected = ErrorBody['error'] & { status?: number };
type Sent = OpenAI.ChatCompletionCreateParamsNonStreaming;

export function describeOpenAIErrors({ client, helpers, gateway, sdk }: OpenAISuite): void {
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Hello' }];
  const chat = (body: Partial<Sent> = {}, options: ConstructorParameters<typeof OpenAI>[0] = {}): Promise<unknown> =>
    client({ maxRetries: 0, ...options }).chat.completions.create({ model: gateway().models.chat, messages, ...body });

  async function refused(request: Promise<unknown>, type: new (...args: never[]) => APIError, expected: Expected): Promise<APIError> {
    const error = await request.then(
      () => Promise.reject(new Error('not refused')),
      (reason: unknown) => reason as APIError,
    );
    expect(error).toBeInstanceOf(type);
    expect(error).toBeInstanceOf(sdk.APIError);
    const { status, ...body } = expected;
    expect(error.error).toEqual(body);
    expect(error).toMatchObject({ status, type: body.type, code: body.code });
    expect(error.message).toContain((error.error as ErrorBody['error']).message);
    return error;
  }

  const { BadRequestError, AuthenticationError, NotFoundError, RateLimitError, InternalServerError } = sdk;
  const error = (status: number, type: Expected['type'], code: Expected['code'], message: string | RegExp = /./): Expected => ({
    status,
    type,
    code,
    message: typeof message === 'string' ? message : (expect.stringMatching(message) as string),
  });

  describe('errors', () => {
    it.each([
      [BadRequestError, error(400, 'invalid_request_error', 'invalid_request', /temperature/), () => chat({ temperature: 3 })],
      [
        AuthenticationError,
        error(401, 'authentication_error', 'invalid_api_key', 'Invalid API key provided'),
        () => chat({}, { apiKey: `sy-live-${'x'.repeat(32)}` }),
      ],
      [
        AuthenticationError,
        error(401, 'authentication_error', 'missing_api_key', 'No API key provided'),
        () => chat({}, { defaultHeaders: { authorization: null } }),
      ],
      [
        sdk.APIError,
        error(402, 'payment_required', 'insufficient_credits', /^Insufficient credits.*add credits/),
        () => chat({}, { apiKey: gateway().emptyKey }),
      ],
      [NotFoundError, error(404, 'invalid_request_error', 'model_not_found', /no-such-model/), () => chat({ model: 'no-such-model' })],
      [InternalServerError, error(502, 'api_error', 'upstream_error'), () => chat({ model: gateway().models.cut })],
      [InternalServerError, error(503, 'api_error', 'model_overloaded'), () => chat({ model: gateway().models.overloaded })],
      [InternalServerError, error(503, 'api_error', 'service_unavailable'), () => chat({ model: gateway().models.inactive })],
    ] as const)('are of the class %p: %j', async (type, expected, send) => {
      expect((await refused(send(), type, expected)).headers).toBeDefined();
    });

    it('429 is RateLimitError and says when to come again', async () => {
      const expected = error(429, 'rate_limit_error', 'rate_limit_exceeded');
      const limited = await refused(chat({ model: gateway().models.rateLimited }), RateLimitError, expected);
      expect(Number(headerOf(limited, 'retry-after'))).toBeGreaterThan(0);
      expect(headerOf(limited, 'x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    });

    it('a stream that breaks off is an APIError in the loop, never an end', async () => {
      const { status: _, ...expected } = error(0, 'api_error', 'upstream_error');
      const request = { model: gateway().models.cut, messages, stream: true } as const;
      const stream = await client().chat.completions.create(request);
      let text = '';
      const loop = async (): Promise<void> => {
        for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
      };
      await refused(loop(), sdk.APIError, expected);
      expect(text).not.toBe('');
      await refused(helpers(client()).stream(request).finalChatCompletion(), sdk.APIError, expected);
    });
  });
}

/** Headers are an object in old majors. */
function headerOf(error: APIError, name: string): string | null | undefined {
  const headers = error.headers as Headers | Record<string, string>;
  return headers instanceof Headers ? headers.get(name) : headers[name];
}
