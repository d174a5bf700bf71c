import type { OpenAPIObject } from '@nestjs/swagger';
import fc from 'fast-check';
import request from 'supertest';
import { samples } from '../src/common/testing/long-form.js';
import { anything } from '../src/providers/testing/strict-vendors/strict-vendors.js';
import { apiDocuments } from './support/api-documents.js';
import { Description, type Level, levelsIn, withMember } from './support/description.js';
import { Gateway } from './support/gateway.js';
import { chatForm, COMPLETION, EMBEDDINGS, embeddingsForm, type Form, messagesForm, responsesForm } from './support/hostile-forms.js';
import { jsonReply } from './support/openai-bytes.js';
import { useGateway, useOperator, useUpstream } from './support/started.js';
import { messageOf } from './vendors/anthropic-vendor.js';

/** Names that all objects of JavaScript have. */
const inherited = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'];
/** A name that none has, of the same length: long names are counted. */
const unknownLike = (name: string): string => 'unknown_member_xyz'.slice(0, name.length);

const forms = [chatForm, messagesForm, responsesForm, embeddingsForm];

const memberValues: readonly unknown[] = ['x', { prototype: { a: 1 } }, null, 3, ['x']];

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly levels: readonly Level[];
}

/** The bodies that an operation describes, with those of its examples, level by level. */
function operationsOf(document: OpenAPIObject, more: (path: string) => readonly object[] = () => []): Operation[] {
  const described = new Description(document);
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(
      operations as Record<string, { requestBody?: { content: Record<string, { schema: object; examples?: object }> } }>,
    ).flatMap(([method, { requestBody }]) => {
      const content = requestBody?.content['application/json'];
      if (!content) return [];
      const examples = Object.values((content.examples ?? {}) as Record<string, { value: object }>).map(({ value }) => value);
      const [base = {}] = examples;
      const levels = [
        ...described.levels(content.schema).map(({ value, path: at }) => ({
          value: { ...(value as object), ...omit(base, at[0]) },
          path: at,
        })),
        ...[...examples, ...more(path)].flatMap((body) => levelsIn(body)),
      ];
      return [{ method, path, levels }];
    }),
  );
}

/** The members of an example but that which a level is in. */
const omit = (example: object, name: string | number | undefined): object =>
  Object.fromEntries(Object.entries(example).filter(([own]) => own !== name));

const bodiesOf = ({ asked, last, textPlaces }: Form): object[] =>
  textPlaces.map((put) => {
    const filled = put('"some text"');
    const field = asked.slice(0, asked.indexOf(':') + 1);
    return JSON.parse(`{"model":"m",${filled.includes(field) ? '' : asked}${filled}${last}}`) as object;
  });

/** What is different in any two answers: ids, times, tokens and versions. */
const passing =
  /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|(acct|key|proj|tok|wh)_\w{16}|provider-\w{12}|sy-(live|test)-[\w-]+|"(created\w*|completed_at|display|version)":[^,}]*/g;

/** An answer, or what a provider was asked, as it would be with a name that nobody knows. */
const alike = (text: string, name: string): string => text.replaceAll(name, unknownLike(name)).replaceAll(passing, '');

describe('A member that nobody knows', () => {
  const upstream = useUpstream(anything);
  const gateway = useGateway(() => {
    const model = { pricing: { prompt: 1, completion: 1 }, max_tokens: 1_000, context_length: 100_000 };
    return Gateway.start({
      server: { body_limit: 1_000_000 },
      store: { keep_responses: true },
      providers: {
        plain: {
          base_url: `${upstream.origin}/v1`,
          models: {
            plain: model,
            text: { ...model, capabilities: { completion: true, chat: false } },
            embed: { ...model, embeddings: { dimensions: 2 } },
            rank: { ...model, capabilities: { rerank: true, chat: false } },
          },
          extra_parameters: ['*'],
        },
        messages: { type: 'anthropic', api_key: 'k', base_url: upstream.origin, models: { messages: model } },
        responses: { base_url: `${upstream.origin}/v1`, options: { responses: true }, models: { responses: model } },
      },
    });
  });
  const operator = useOperator(gateway);
  beforeAll(() => upstream.replies(({ path, body }) => jsonReply(answerTo(path, JSON.parse(body) as Asked))));
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const part = { type: 'output_text', text: 'Hi', annotations: [] };
  const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [part] };
  const output = { id: 'resp_1', object: 'response', status: 'completed', output: [message], usage: { input_tokens: 1, output_tokens: 1 } };
  type Asked = { n?: number; input?: unknown; documents?: readonly unknown[]; encoding_format?: string; dimensions?: unknown };
  const answerTo = (path: string, { n = 1, input, documents = [], encoding_format, dimensions }: Asked): object => {
    if (path.includes('messages')) return messageOf({ text: 'Hi' });
    if (path.includes('responses')) return output;
    const count = typeof dimensions === 'number' ? dimensions : 2;
    const embedding = encoding_format === 'base64' ? Buffer.alloc(4 * count).toString('base64') : Array<number>(count).fill(1);
    if (path.includes('embeddings')) return { data: [input].flat().map((_, index) => ({ index, embedding })), usage };
    if (path.includes('rerank')) return { results: documents.map((_, index) => ({ index, relevance_score: index })), usage };
    const choice = { message: { role: 'assistant', content: 'Hi' }, text: 'Hi', finish_reason: 'stop' };
    return { choices: Array.from({ length: n }, (_, index) => ({ index, ...choice })), usage };
  };

  /** What a body with this member gets, and what providers are asked for it. */
  const answered = async ({ method, path }: Operation, token: string, level: Level, name: string, member: unknown) => {
    upstream.requests.length = 0;
    const url = path.replace('{account}', gateway.customer.accountId).replace(/\{\w+\}/g, 'nobody');
    const client = request(gateway.url);
    const sent = client[method as 'post'](url).set('authorization', `Bearer ${token}`).set('content-type', 'application/json');
    const { status, text, headers } = await sent.buffer().send(withMember(level, name, member));
    const ignored = String((headers as Record<string, string>)['x-switchyard-ignored-parameters']);
    const asked = upstream.requests.map(({ path: of, body }) => `${of} ${alike(body, name)}`).toSorted();
    return { status, body: alike(text, name), ignored: alike(ignored, name), asked };
  };

  /** @returns the statuses that there were */
  const expectAlike = async (operation: Operation, models: readonly string[], runs: number, token: () => string): Promise<Set<number>> => {
    const seen = new Set<number>();
    const tried = fc.record({
      level: fc.constantFrom(...operation.levels),
      name: fc.constantFrom(...inherited),
      member: fc.constantFrom(...memberValues),
      model: fc.constantFrom(...models),
    });
    await fc.assert(
      fc.asyncProperty(tried, async ({ level: { value, path }, name, member, model }) => {
        const level = { value: { ...(value as object), ...(model !== '' && { model }) }, path };
        const expected = await answered(operation, token(), level, unknownLike(name), member);
        seen.add(expected.status);
        expect(await answered(operation, token(), level, name, member)).toEqual(expected);
      }),
      { numRuns: samples(runs) },
    );
    return seen;
  };

  const customers = operationsOf(apiDocuments.customers, (path) => forms.filter((form) => form.path === path).flatMap(bodiesOf));
  const modelsOf = (path: string): readonly string[] =>
    path === EMBEDDINGS
      ? ['embed']
      : path === '/v1/rerank'
        ? ['rank']
        : path === COMPLETION
          ? ['text']
          : ['plain', 'messages', 'responses'];

  it.each(customers.map((operation) => [operation.path, operation] as const))(
    'of a body of POST %s is treated alike, whatever its name',
    async (path, operation) => {
      const seen = await expectAlike(operation, modelsOf(path), 400, () => gateway.customer.liveKey);
      expect(seen).toContain(200);
      expect(seen).not.toContain(500);
    },
  );

  it("is stored and shown as any other where its name is the client's own", async () => {
    const metadata = `{${inherited.map((name) => `"${name}":"x"`).join()}}`;
    const sent = JSON.parse(`{"model":"plain","input":"Hi","store":true,"metadata":${metadata}}`) as object;
    const { body: made } = await gateway.post('responses', sent).expect(200);
    const { body: shown } = await gateway.get(`responses/${(made as { id: string }).id}`).expect(200);
    for (const one of [made, shown] as { metadata: object }[]) expect(JSON.stringify(one.metadata)).toBe(metadata);
  });

  // The bodies of the playground are those of the formats.
  const administration = operationsOf(apiDocuments.administration).filter(({ path }) => !path.includes('playground'));

  it.each(administration.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    'of a body of %s is treated alike, whatever its name',
    async (_name, operation) => {
      const seen = await expectAlike(operation, [''], 80, () => operator.token);
      // What only people may ask refuses a token first; the pipe is that of the others.
      expect([...seen]).toContainEqual(seen.has(403) ? 403 : 400);
      expect(seen).not.toContain(500);
    },
  );

  it('of a query string is refused by the administration, whatever is asked', async () => {
    const asked = Object.entries(apiDocuments.administration.paths).flatMap(([path, operations]) =>
      (['get', 'post', 'put', 'patch', 'delete'] as const)
        .filter((method) => operations[method]?.security?.length && !/playground|openapi/.test(path))
        .map((method) => [method, path] as const),
    );
    const taken: unknown[] = [];
    for (const [method, path] of asked) {
      const url = path.replace('{account}', gateway.customer.accountId).replace(/\{\w+\}/g, 'nobody');
      const sent = request(gateway.url)[method](`${url}?dry_run=true`).set('authorization', `Bearer ${operator.token}`);
      const { status, text } = await (method === 'get' ? sent : sent.send({}));
      if (status !== 403 && !text.includes('property dry_run should not exist')) taken.push([method, path, status, text.slice(0, 80)]);
    }
    expect(taken).toEqual([]);
  });
});
