import { configSchema, providerSchema } from '../../config/config.schema.js';
import { ConfigService } from '../../config/config.service.js';
import type { ModelFacts } from '../model-facts/model-facts.js';
import { ModelFactsService } from '../model-facts/model-facts.service.js';
import { testCall } from '../testing/call.js';
import { readAll } from '../testing/collect.js';
import { LoopbackUpstream, type RecordedRequest } from '../testing/loopback-upstream.js';
import { HttpTransport } from '../transport/http-transport.js';
import { awsPackages } from './aws-packages.js';
import { BedrockProvider, dataset } from './bedrock.provider.js';
import { foundationModel } from './model-name.js';
import { traitsOf } from './model-traits.js';

const packages = await awsPackages();
const json = { 'content-type': 'application/json' };
const haiku = 'anthropic.claude-haiku-4-5-20251001-v1:0';

const summary = (modelId: string, inference: string[] = ['ON_DEMAND'], input = ['TEXT']) => ({
  modelId,
  inputModalities: input,
  outputModalities: ['TEXT'],
  inferenceTypesSupported: inference,
});
const modelSummaries = [
  summary(haiku, ['INFERENCE_PROFILE'], ['TEXT', 'IMAGE']),
  summary('amazon.nova-pro-v1:0', ['ON_DEMAND', 'INFERENCE_PROFILE'], ['TEXT', 'IMAGE', 'VIDEO']),
  summary('mistral.mistral-large-2407-v1:0'),
  summary('custom.provisioned', ['PROVISIONED']),
  summary('cohere.rerank-v3-5:0'),
];
const profile = (inferenceProfileId: string, status = 'ACTIVE') => ({ inferenceProfileId, status, type: 'SYSTEM_DEFINED' });
const pages = [
  { inferenceProfileSummaries: [profile(`us.${haiku}`), profile('us.amazon.nova-pro-v1:0')], nextToken: 'page 2/' },
  {
    inferenceProfileSummaries: [profile(`global.${haiku}`), profile(`eu.${haiku}`, 'CREATING'), profile('us.twelvelabs.pegasus-1-2-v1:0')],
  },
];

describe('the models of Bedrock', () => {
  const transport = new HttpTransport();
  const upstream = LoopbackUpstream.during(() => transport.onApplicationShutdown());

  beforeEach(() =>
    upstream.replies(({ path }: RecordedRequest) => {
      const body = path.startsWith('/foundation-models') ? { modelSummaries } : pages[path.includes('nextToken') ? 1 : 0];
      return { headers: json, body: JSON.stringify(body) };
    }),
  );

  const facts = (known: Readonly<Record<string, ModelFacts>>) => ({ of: () => Promise.resolve((name: string) => known[name] ?? {}) });
  const made = (entry: object = {}, options: object = {}, known: Readonly<Record<string, ModelFacts>> = {}): BedrockProvider => {
    const whole = { type: 'bedrock', base_url: upstream.origin, api_key: 'k', options: { region: 'eu-west-1', ...options }, ...entry };
    return new BedrockProvider('aws', providerSchema.parse(whole), packages, { transport, facts: facts(known), hide: () => undefined });
  };
  const models = (provider: BedrockProvider) => provider.models(new AbortController().signal);
  const names = async (provider: BedrockProvider) => (await models(provider)).map(({ id, upstreamModel }) => [id, upstreamModel]);

  it('are those on demand and the inference profiles, page by page', async () => {
    expect(await names(made())).toEqual(
      ['amazon.nova-pro-v1:0', 'mistral.mistral-large-2407-v1:0', `us.${haiku}`, 'us.amazon.nova-pro-v1:0', `global.${haiku}`].map((id) => [
        id,
        id,
      ]),
    );
    expect(upstream.requests.map(({ path }) => path).toSorted()).toEqual([
      '/foundation-models',
      '/inference-profiles?maxResults=1000&type=SYSTEM_DEFINED',
      '/inference-profiles?maxResults=1000&type=SYSTEM_DEFINED&nextToken=page%202%2F',
    ]);
  });

  it('are asked through the profiles of a prefix under their own names', async () => {
    expect(await names(made({}, { inference_profile: 'us' }))).toEqual([
      ['mistral.mistral-large-2407-v1:0', 'mistral.mistral-large-2407-v1:0'],
      [haiku, `us.${haiku}`],
      ['amazon.nova-pro-v1:0', 'us.amazon.nova-pro-v1:0'],
    ]);
  });

  it('are listed to the end of ten pages at most', async () => {
    upstream.replies(({ path }) => ({ headers: json, body: JSON.stringify(path.startsWith('/f') ? { modelSummaries } : pages[0]) }));
    await models(made());
    expect(upstream.requests).toHaveLength(11);
  });

  it('are configured without a list, at a profile or as they are written', async () => {
    const arn = 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc';
    const configured = {
      models: {
        [haiku]: {},
        'eu.amazon.nova-pro-v1:0': {},
        fast: { upstream_model: 'amazon.nova-micro-v1:0' },
        'anthropic.claude-opus-4-6-v1': { upstream_model: arn },
      },
    };
    expect(await names(made(configured, { inference_profile: 'us' }))).toEqual([
      [haiku, `us.${haiku}`],
      ['eu.amazon.nova-pro-v1:0', 'eu.amazon.nova-pro-v1:0'],
      ['fast', 'amazon.nova-micro-v1:0'],
      ['anthropic.claude-opus-4-6-v1', arn],
    ]);
    expect(upstream.requests).toHaveLength(0);
    const [, , , opus] = await models(made(configured));
    expect(opus).toMatchObject({ contextLength: 1_000_000, parameters: expect.arrayContaining(['thinking']) });
  });

  it('have public facts and prices, and else what their family has', async () => {
    const known = { [`us.${haiku}`]: { price: { prompt: '0.0011', completion: '0.0055' }, contextLength: 200_000 } };
    const [, mistral, us, nova] = await models(made({}, {}, known));
    expect(us).toMatchObject({
      price: { prompt: '0.0011', completion: '0.0055' },
      created: Date.parse('2025-10-01') / 1_000,
      contextLength: 200_000,
      maxTokens: 64_000,
      capabilities: { function_calling: true, vision: true, json_mode: true },
      inputCeilings: { image: 4_784, file: 200_000 },
      cacheMarks: true,
    });
    expect(us?.parameters).toEqual(expect.arrayContaining(['reasoning_effort', 'thinking', 'cache_control', 'temperature', 'top_k']));
    expect(nova).toMatchObject({ maxTokens: 10_000, capabilities: { vision: true } });
    expect(mistral).toMatchObject({ price: undefined, cacheMarks: false, capabilities: { vision: false } });
    expect(mistral?.parameters).toEqual(['max_tokens', 'stop', 'tools', 'tool_choice', 'response_format', 'temperature', 'top_p', 'user']);
  });

  it('are asked by their names in the path, and never by a path', async () => {
    const ask = async (upstreamModel: string, stream: boolean): Promise<unknown> => {
      upstream.replies({ status: 503, body: '{}' });
      const request = { operation: 'chat' as const, model: 'm', stream, n: 1, messages: [{ role: 'user' as const, content: 'a' }] };
      return readAll(made().generate(request, testCall({ upstreamModel }))).catch((error: unknown) => error);
    };
    await ask('us.amazon.nova-pro-v1:0', true);
    expect(upstream.requests[0]?.path).toBe('/model/us.amazon.nova-pro-v1%3A0/converse-stream');
    await ask('arn:aws:bedrock:eu-west-1:1:inference-profile/eu.x', false);
    expect(upstream.requests[0]?.path).toBe('/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A1%3Ainference-profile%2Feu.x/converse');
    for (const name of ['..', '.', '']) expect(await ask(name, true)).toMatchObject({ kind: 'model_unavailable' });
  });

  it('open to any name where the operator says so', () => {
    const open = { open: { pricing: { prompt: 1, completion: 1 }, context_length: 1_000, max_tokens: 100 } };
    expect(made(open, { inference_profile: 'eu' }).open(haiku)).toMatchObject({ id: haiku, upstreamModel: `eu.${haiku}`, maxTokens: 100 });
    expect(made().open(haiku)).toBeUndefined();
    const arn = 'arn:aws:bedrock:us-east-1:123456789012:prompt/ABC';
    expect(made(open).open(arn)).toBeUndefined();
    expect(made({ ...open, allow_account_ids: true }).open(arn)).toMatchObject({ upstreamModel: arn });
  });

  it.each([
    ['anthropic.claude-v2:1', { tools: false, maxTokens: 4_096, thinking: 'none' }],
    ['anthropic.claude-3-haiku-20240307-v1:0', { maxTokens: 4_096, thinking: 'none', vision: true, structuredOutputs: false }],
    ['anthropic.claude-3-7-sonnet-20250219-v1:0', { maxTokens: 64_000, thinking: 'budget' }],
    ['anthropic.claude-opus-4-20250514-v1:0', { maxTokens: 32_000, thinking: 'budget', structuredOutputs: false }],
    ['anthropic.claude-opus-4-1-20250805-v1:0', { maxTokens: 32_000, structuredOutputs: false }],
    ['anthropic.claude-sonnet-4-5-20250929-v1:0', { maxTokens: 64_000, thinking: 'budget', structuredOutputs: true, sampling: true }],
    ['anthropic.claude-opus-4-6-v1', { contextLength: 1_000_000, thinking: 'both', sampling: true, forcedTools: true }],
    ['anthropic.claude-opus-5-5', { sampling: false, forcedTools: false, systemTurns: false }],
    ['amazon.nova-micro-v1:0', { contextLength: 128_000, vision: false, thinking: 'none', cached: true, cachedTools: false }],
    ['amazon.nova-2-lite-v1:0', { contextLength: 1_000_000, thinking: 'adaptive' }],
    ['openai.gpt-oss-20b-1:0', { family: 'gpt-oss', structuredOutputs: true }],
    ['deepseek.r1-v1:0', { tools: false }],
    ['meta.llama4-scout-17b-instruct-v1:0', { vision: true, tools: true, forcedTools: false }],
  ])('%s has traits of its family', (name, expected) => {
    expect(traitsOf(name)).toMatchObject(expected);
  });
});

describe('the names of models', () => {
  it.each([
    ['anthropic.claude-opus-5-5', 'anthropic.claude-opus-5-5'],
    ['us-gov.anthropic.claude-opus-5-5', 'anthropic.claude-opus-5-5'],
    ['somewhere.ai21.jamba-1-5-large-v1:0', 'ai21.jamba-1-5-large-v1:0'],
    ['zai.glm-4.7', 'zai.glm-4.7'],
    ['deepseek.v3.2', 'deepseek.v3.2'],
    ['arn:aws:bedrock:eu-west-1:1:inference-profile/eu.amazon.nova-lite-v1:0', 'amazon.nova-lite-v1:0'],
    ['arn:aws:bedrock:eu-west-1::foundation-model/amazon.nova-lite-v1:0', 'amazon.nova-lite-v1:0'],
  ])('%s is %s', (name, base) => expect(foundationModel(name)).toBe(base));
});

describe('the public prices of Bedrock', () => {
  it('are those of the name that is asked: profiles of all regions are cheaper than those of one', async () => {
    const facts = await new ModelFactsService(new ConfigService(configSchema.parse({}))).of(dataset);
    const [regional, global] = [facts(`us.${haiku}`), facts(`global.${haiku}`)].map(({ price }) => Number(price?.prompt));
    expect(global).toBeGreaterThan(0);
    expect(regional).toBeGreaterThan(global!);
    expect(facts('amazon.nova-pro-v1:0').contextLength).toBe(300_000);
  });
});

describe('the addresses of Bedrock', () => {
  const listedAt = async (base_url: string, options: object = {}): Promise<string[]> => {
    const asked: string[] = [];
    const transport = {
      send: ({ origin, path }: { origin: string; path: string }) => {
        asked.push(origin + path);
        return Promise.reject(new Error('nobody answers'));
      },
    };
    const config = providerSchema.parse({ type: 'bedrock', base_url, api_key: 'k', options: { region: 'eu-west-1', ...options } });
    const provider = new BedrockProvider('aws', config, packages, {
      transport: transport as unknown as HttpTransport,
      hide: () => undefined,
    });
    await provider.probe(new AbortController().signal).catch(() => undefined);
    return asked;
  };

  it.each([
    ['https://bedrock-runtime.eu-west-1.amazonaws.com', {}, 'https://bedrock.eu-west-1.amazonaws.com'],
    ['https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com', {}, 'https://bedrock-fips.us-gov-west-1.amazonaws.com'],
    ['http://10.0.0.7:8080/aws', {}, 'http://10.0.0.7:8080/aws'],
    ['https://x.bedrock-runtime.example.com', { control_url: 'https://x.bedrock.example.com' }, 'https://x.bedrock.example.com'],
  ])('of models at %s', async (base, options, control) => {
    expect(await listedAt(base, options)).toEqual([`${control}/foundation-models?byOutputModality=TEXT`]);
  });
});
