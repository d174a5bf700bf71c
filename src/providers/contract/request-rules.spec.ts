import { readFileSync } from 'node:fs';
import { converseRules } from '../bedrock/offered-models.js';
import { cohereRules } from '../cohere/offered-models.js';
import { claudeRules } from '../model-facts/claude/claude-rules.js';
import { geminiRules } from '../model-facts/gemini/offered-models.js';
import { ollamaRules } from '../ollama/offered-models.js';
import { templateRules } from '../model-facts/template-rules.js';
import { presets } from '../openai-compatible/presets.js';
import { type Parameter, parameters } from './parameters.js';
import type { NameRule, RequestRules } from './request-rules.js';

type Line = readonly [vendor: string, rules: RequestRules, without?: readonly Parameter[]];

/** A model that the rules of a preset are shown with, where they differ by model. */
const shown: Readonly<Record<string, string>> = { openai: 'gpt-5.1', azure: 'gpt-5.1', xai: 'grok-4.3' };

const lines: readonly Line[] = [
  ...presets.map(({ type, name, rules, without = [], modelWithout }): Line => {
    const model = shown[type] ?? 'm';
    return [shown[type] ? `${name}, \`${model}\`` : name, rules?.(model) ?? {}, [...without, ...(modelWithout?.(model) ?? [])]];
  }),
  ['a server without a preset', templateRules('m')],
  ...['Mistral', 'Gemma-3', 'Llama-3'].map((model): Line => [`the same, vLLM or Ollama, with a model like ${model}`, templateRules(model)]),
  ['Claude up to 4.5, wherever it is served', claudeRules({ thinking: 'budget' })],
  ['Claude from 4.6 on', claudeRules({ thinking: 'adaptive' })],
  ['Bedrock, other models', converseRules],
  ['Gemini, and on Vertex', geminiRules],
  ['Ollama', ollamaRules('m')],
  ['Cohere', cohereRules],
];

const named = (what: string, rule: NameRule | false | undefined): string | false =>
  rule !== false &&
  rule !== undefined &&
  `${what} that are longer than ${rule.length}${rule.pattern.source === '^[^]+$' ? '' : `, or not \`${rule.pattern.source}\``}`;

const cells = ([vendor, rules, without = []]: Line): string[] => {
  const { formats, efforts, toolSchema } = rules;
  const missing = formats && (['json_object', 'json_schema'] as const).filter((format) => !formats.includes(format));
  const refused = [
    ...without.filter((name) => parameters[name].otherwise === 'refused').map((name) => `\`${name}\``),
    ...(missing ?? []).map((format) => `\`${format}\``),
    rules.assistantLast === 'refused' && 'an end with the assistant',
  ];
  const changed = [
    rules.developer === false && '`developer`',
    rules.system && (rules.system === 'user' ? 'system messages' : 'later system messages'),
    rules.silentAssistant === false && 'an assistant without content',
    rules.alternate && 'neighbours of one role',
    rules.oneCall && 'several calls of one message',
    rules.userFirst && 'a beginning with the assistant',
    rules.someUser && 'a conversation without a user',
    rules.behindResult && `\`${rules.behindResult}\` of the assistant between a result and the user`,
    rules.assistantLast === 'prefix' && '`prefix` for an end with the assistant',
    rules.assistantLast === 'trimmed' && 'white space at an end with the assistant',
    named('ids', rules.callIds),
    named('names of functions', rules.functionNames),
    named('names of messages', rules.messageNames),
    rules.argumentsObject && 'arguments that are no object',
    rules.noContent !== undefined && 'no content',
    rules.resultMedia && 'media of results',
    rules.plainText && `several texts of ${rules.plainText.join(', ')}`,
    (rules.fileNames ?? rules.files ?? rules.fileUrls) && 'files',
    toolSchema && 'schemas of functions',
  ];
  const less = [
    rules.messageNames === false && 'names of messages',
    rules.messageFields && 'other members of messages',
    efforts && `\`reasoning_effort\` to ${efforts.join(', ')}`,
    rules.thinking && 'thinking that the conversation does not allow',
    rules.media && 'other media of results',
    rules.temperature !== undefined && `\`temperature\` to ${rules.temperature}`,
    toolSchema?.noRootUnions && 'unions at the root of schemas',
  ];
  return [vendor, ...[refused, changed, less].map((list) => list.filter(Boolean).join('; '))];
};

describe('what vendors do not take', () => {
  it('is in the chapter as the rules have it', () => {
    const table = lines.map(cells).filter(([, ...rest]) => rest.some((cell) => cell !== ''));
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    const [, body = ''] = readme.split(/^\| Vendor +\| Refused .*\n.*\n/m);
    const found = body
      .split('\n\n')[0]!
      .split('\n')
      .map((line) =>
        line
          .split(/(?<!\\)\|/)
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );
    expect(found).toEqual(table);
  });
});
