import type OpenAI from 'openai';
import type { APIError } from 'openai';
import type { ErrorBody } from '../../src/wire/error.js';
import type { OpenAISuite } from './openai-suite.js';

type Class = new (...args: never[]) => APIError;

export function describeOpenAIErrors({ client, helpers, gateway, sdk }: OpenAISuite): void {
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Hello' }];
  const chat = (
    body: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {},
    options: ConstructorParameters<typeof OpenAI>[0] = {},
  ): Promise<unknown> => client({ maxRetries: 0, ...options }).chat.completions.create({ model: gateway().models.chat, messages, ...body });

  async function refused(request: Promise<unknown>, type: Class, expected: ErrorBody['error'] & { status?: number }): Promise<APIError> {
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

  describe('errors', () => {
    it('400 is BadRequestError', async () => {
      const error = await refused(chat({ temperature: 3 }), sdk.BadRequestError, {
        status: 400,
        type: 'invalid_request_error',
        code: 'invalid_request',
        message: expect.stringContaining('temperature') as string,
      });
      expect(error.headers).toBeDefined();
    });

    it('401 is AuthenticationError', async () => {
      await refused(chat({}, { apiKey: `sy-live-${'x'.repeat(32)}` }), sdk.AuthenticationError, {
        status: 401,
        type: 'authentication_error',
        code: 'invalid_api_key',
        message: 'Invalid API key provided',
      });
      await refused(chat({}, { defaultHeaders: { authorization: null } }), sdk.AuthenticationError, {
        status: 401,
        type: 'authentication_error',
        code: 'missing_api_key',
        message: 'No API key provided',
      });
      const list = client({ apiKey: 'no key at all' }).models.list();
      await refused(list, sdk.AuthenticationError, {
        status: 401,
        type: 'authentication_error',
        code: 'invalid_api_key',
        message: 'Invalid API key provided',
      });
    });

    it('402 is an APIError, streamed and not', async () => {
      for (const stream of [false, true]) {
        const request = client({ apiKey: gateway().emptyKey }).chat.completions.create({ model: gateway().models.chat, messages, stream });
        await refused(request, sdk.APIError, {
          status: 402,
          type: 'payment_required',
          code: 'insufficient_credits',
          message: expect.stringMatching(/^Insufficient credits.*add credits/) as string,
        });
      }
    });

    it('404 is NotFoundError and names the model', async () => {
      const expected = {
        status: 404,
        type: 'invalid_request_error',
        code: 'model_not_found',
        message: expect.stringContaining('no-such-model') as string,
      } as const;
      await refused(chat({ model: 'no-such-model' }), sdk.NotFoundError, expected);
      await refused(client().completions.create({ model: 'no-such-model', prompt: 'A' }), sdk.NotFoundError, expected);
    });

    it('429 is RateLimitError and says when to come again', async () => {
      const error = await refused(chat({ model: gateway().models.rateLimited }), sdk.RateLimitError, {
        status: 429,
        type: 'rate_limit_error',
        code: 'rate_limit_exceeded',
        message: expect.any(String) as string,
      });
      expect(Number(headerOf(error, 'retry-after'))).toBeGreaterThan(0);
      expect(headerOf(error, 'x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    });

    it('503 is InternalServerError: a model that is overloaded or not active', async () => {
      const expected = { status: 503, type: 'api_error', message: expect.any(String) as string } as const;
      await refused(chat({ model: gateway().models.overloaded }), sdk.InternalServerError, { ...expected, code: 'model_overloaded' });
      await refused(chat({ model: gateway().models.inactive }), sdk.InternalServerError, { ...expected, code: 'service_unavailable' });
    });

    it('a stream that breaks off is an APIError in the loop, never an end', async () => {
      const expected = { type: 'api_error', code: 'upstream_error', message: expect.any(String) as string } as const;
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

    it('an answer that breaks off is an error where it is not streamed', async () => {
      await refused(chat({ model: gateway().models.cut }), sdk.InternalServerError, {
        status: 502,
        type: 'api_error',
        code: 'upstream_error',
        message: expect.any(String) as string,
      });
    });
  });
}

/** Headers are an object in old majors. */
function headerOf(error: APIError, name: string): string | null | undefined {
  const headers = error.headers as Headers | Record<string, string>;
  return headers instanceof Headers ? headers.get(name) : headers[name];
}
