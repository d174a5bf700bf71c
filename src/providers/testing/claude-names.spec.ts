import { providerSchema } from '../../config/config.schema.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import { foundationModel } from '../bedrock/model-name.js';
import { traitsOf } from '../bedrock/model-traits.js';
import { configuredModels as configuredAtBedrock } from '../bedrock/offered-models.js';
import { converseRequest } from '../bedrock/request.js';
import { nativeBody } from '../protocols/anthropic-messages/native.js';
import { messagesRequest } from '../protocols/anthropic-messages/request.js';
import { factsOf, isListed } from '../model-facts/claude/claude-facts.js';
import { claudeRules } from '../model-facts/claude/claude-rules.js';
import { configuredModels, openModel } from '../model-facts/claude/offered-models.js';

const weather = { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } } as const;
const asked: ChatGenerationRequest = {
  operation: 'chat',
  model: 'm',
  stream: false,
  n: 1,
  messages: [{ role: 'user', content: 'Weather?' }],
  tools: [weather],
};

const fail = (parameter: string): never => {
  throw new Error(`dropped ${parameter}`);
};

const dated = (name: string, date: string): string[] => [name, `${name}-${date}`, `${name}@${date}`, `anthropic/${name}`];
const onBedrock = (name: string): string[] => [
  `anthropic.${name}`,
  `us-gov.anthropic.${name}`,
  `arn:aws:bedrock:us-east-1:1:inference-profile/eu.anthropic.${name}`,
];

/** Each model by all names that vendors have for it, with what its generation takes. */
const models = [
  ['claude-2', ['claude-2.1', 'claude-2'], ['claude-v2', 'claude-v2:1', 'claude-instant-v1'], { thinking: 'none', maxTokens: 4_096 }],
  [
    'claude-3-haiku',
    dated('claude-3-haiku', '20240307'),
    ['claude-3-haiku-20240307-v1:0', 'claude-3-haiku-20240307-v1:0:200k'],
    { thinking: 'none', maxTokens: 4_096 },
  ],
  [
    'claude-3-5-sonnet',
    [...dated('claude-3-5-sonnet', '20241022'), 'claude-3-5-sonnet-latest', 'claude-3-5-sonnet-v2@20241022', 'claude-3.5-sonnet'],
    ['claude-3-5-sonnet-20241022-v2:0'],
    { thinking: 'none', maxTokens: 8_192 },
  ],
  [
    'claude-3-7-sonnet',
    [...dated('claude-3-7-sonnet', '20250219'), 'claude-3-7-sonnet-latest'],
    ['claude-3-7-sonnet-20250219-v1:0'],
    { thinking: 'budget', maxTokens: 64_000, structuredOutputs: false },
  ],
  [
    'claude-sonnet-4',
    [...dated('claude-sonnet-4', '20250514'), 'claude-sonnet-4-0', 'claude-4-sonnet'],
    ['claude-sonnet-4-20250514-v1:0'],
    { thinking: 'budget', maxTokens: 64_000, structuredOutputs: false },
  ],
  [
    'claude-opus-4-1',
    dated('claude-opus-4-1', '20250805'),
    ['claude-opus-4-1-20250805-v1:0'],
    { thinking: 'budget', maxTokens: 32_000, structuredOutputs: false },
  ],
  [
    'claude-sonnet-4-5',
    [...dated('claude-sonnet-4-5', '20250929'), 'claude-sonnet-4.5', 'claude-sonnet-4-5-thinking'],
    ['claude-sonnet-4-5-20250929-v1:0'],
    { thinking: 'budget', maxTokens: 64_000, structuredOutputs: true },
  ],
  ['claude-opus-4-6', ['claude-opus-4-6', 'claude-opus-4-6@default'], ['claude-opus-4-6-v1'], { thinking: 'both', maxTokens: 128_000 }],
  ['claude-opus-4-7', ['claude-opus-4-7', 'claude-opus-4-7@default'], ['claude-opus-4-7'], { thinking: 'adaptive', sampling: false }],
  [
    'claude-opus-5-5',
    ['claude-opus-5-5', 'claude-opus-5-5-20260922'],
    ['claude-opus-5-5', 'claude-opus-5-5-20260922-v1:0'],
    { thinking: 'adaptive', sampling: false, forcedTools: false },
  ],
  [
    'a model that nobody knows',
    ['claude-opus-4-10', 'claude-next', 'claude-lyric-7'],
    ['claude-lyric-7-20280101-v1:0'],
    { thinking: 'both', unlisted: true },
  ],
] as const;

const usual = { sampling: true, forcedTools: true };
const rows = models.flatMap(([model, names, atBedrock, traits]) => {
  const expected = { ...usual, ...traits };
  return [
    ...names.map((name) => ['anthropic and vertex', name, model, expected] as const),
    ...atBedrock.flatMap(onBedrock).map((name) => ['bedrock', name, model, expected] as const),
  ];
});

it.each(rows)('on %s, %s is asked as %s', (wire, name, _model, expected) => {
  const { sampling, traits } = factsOf(name);
  if (wire === 'bedrock') expect(traitsOf(foundationModel(name))).toMatchObject({ ...expected, family: 'claude' });
  else expect({ ...traits, sampling }).toMatchObject(expected);
  const open = providerSchema.parse({
    base_url: 'http://127.0.0.1',
    open: { pricing: { prompt: 1, completion: 1 }, context_length: 9_000, max_tokens: 900 },
  });
  expect(openModel(name, open)?.parameters.includes('temperature')).toBe(expected.sampling);
  const sent = (fields: object) => messagesRequest({ ...asked, ...fields }, name, traits, () => undefined).body;
  const required = () => sent({ tool_choice: 'required' }).tool_choice;
  if (expected.forcedTools) expect(required()).toEqual({ type: 'any' });
  else expect(required).toThrow('cannot be made to call a tool');
  const { thinking } = sent({ reasoning_effort: 'high' });
  const types = { none: undefined, budget: 'enabled', both: 'adaptive', adaptive: 'adaptive' };
  expect(thinking?.type).toBe(types[expected.thinking]);
});

it.each([
  ['claude-lyric-7', {}, 200_000, 4_096],
  ['claude-lyric-7', { max_tokens: 9_000 }, 9_000, undefined],
  ['claude-opus-5-5', {}, 128_000, undefined],
])('of %s, of which the operator says %j, up to %p tokens may be asked for, and %p are', (name, entry, maxTokens, defaultTokens) => {
  const config = providerSchema.parse({ base_url: 'http://127.0.0.1' });
  const atBedrock = configuredAtBedrock({ [`anthropic.${name}`]: entry }, { config, prefix: undefined });
  for (const { model } of [...configuredModels({ [name]: entry }, config), ...atBedrock])
    expect(model).toMatchObject({ maxTokens, defaultTokens });
});

it.each(['claude-nova', 'claude-lyric-7'])('%s, which no list knows, is asked as the client writes', (name) => {
  const { traits } = factsOf(name);
  const rules = claudeRules(traits);
  expect(rules.thinking).toBeUndefined();
  expect(rules.assistantLast).toBe('trimmed');
  for (const thinking of [{ type: 'enabled', budget_tokens: 2_000 }, { type: 'adaptive' }, { type: 'disabled' }]) {
    const body = { model: 'm', max_tokens: 9_000, messages: asked.messages, thinking };
    const native = { wire: 'anthropic-messages' as const, body };
    expect(nativeBody({ ...asked, max_tokens: 9_000, native, extra: { thinking } }, name, traits, fail)).toMatchObject({ thinking });
    expect(messagesRequest({ ...asked, max_tokens: 9_000, extra: { thinking } }, name, traits, fail).body).toMatchObject({ thinking });
  }
});

it.each([
  ['claude-3-5-sonnet-20241022', true],
  ['claude-3-7-sonnet-latest', true],
  ['claude-sonnet-4-20250514', true],
  ['claude-opus-4-0', true],
  ['claude-opus-4-1-20250805', false],
  ['claude-opus-4-1-thinking', false],
  ['claude-sonnet-4-5', false],
  ['claude-haiku-4-5@20251001', false],
  ['claude-opus-4-5', false],
  ['claude-opus-4-6', false],
  ['claude-sonnet-4-6', false],
  ['claude-nova', true],
  ['other-1', true],
])('%s takes top_p beside a temperature: %p; in its own format both go on', (name, takesBoth) => {
  const dropped: string[] = [];
  const drop = (parameter: string) => void dropped.push(parameter);
  const request = { ...asked, temperature: 0.5, top_p: 0.25 };
  const { body } = messagesRequest(request, name, factsOf(name).traits, drop);
  expect([body.temperature, body.top_p, dropped]).toEqual([0.5, takesBoth ? 0.25 : undefined, takesBoth ? [] : ['top_p']]);
  const native = { wire: 'anthropic-messages' as const, body: { messages: asked.messages } };
  expect(nativeBody({ ...request, native }, name, factsOf(name).traits, fail)).toMatchObject({ temperature: 0.5, top_p: 0.25 });
  if (!name.startsWith('claude-')) return;
  const onConverse = converseRequest(request, traitsOf(`anthropic.${name}`), { guardrail: undefined }, () => undefined);
  expect(onConverse.body.inferenceConfig).toMatchObject({ temperature: 0.5 });
  expect(onConverse.body.inferenceConfig?.topP).toBe(body.top_p);
});

it('lists the same model under one name alone', () => {
  expect(['claude-sonnet-4-5-20250929', 'claude-opus-4-0', 'claude-opus-4-6@default'].filter((name) => !isListed(name))).toEqual([]);
  expect(['claude-opus-4-6-fast', 'claude-sonnet-4-5-thinking', 'claude-next', 'other-1'].filter(isListed)).toEqual([]);
});
