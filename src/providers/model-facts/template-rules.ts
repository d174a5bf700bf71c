import type { RequestRules } from '../contract/request-rules.js';
import { mistralTurns } from './mistral-rules.js';

/**
 * Servers of open models write the prompt with the model's own template. Many of those refuse a system message behind
 * the beginning or a conversation without a user, know no `developer`, and read arguments as objects.
 */
const anyTemplate: RequestRules = {
  developer: false,
  system: 'one',
  someUser: '…',
  argumentsObject: true,
  media: { image: /^/, audio: /^/, video: /^/ },
};

/** Those of models that refuse more, by their names. */
const templates: readonly (readonly [models: RegExp, rules: RequestRules])[] = [
  [
    /mistral|mixtral|ministral|magistral|devstral|codestral|mathstral|voxtral|pixtral/i,
    { ...mistralTurns, userFirst: '…', plainText: ['system', 'assistant'] },
  ],
  [/gemma-?[1-3](?!\d)/i, { system: 'user', alternate: true, userFirst: '…' }],
  [/llama-?3/i, { oneCall: true }],
];

/** What the template of a model takes, by the name of the model. */
export function templateRules(upstreamModel: string): RequestRules {
  return { ...anyTemplate, ...templates.find(([models]) => models.test(upstreamModel))?.[1] };
}
