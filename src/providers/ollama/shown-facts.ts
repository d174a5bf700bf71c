import { isObject, type JsonObject } from '../../wire/json-object.js';
import { positiveInteger } from '../model-facts/positive-integer.js';
import { usualThinking } from './model-traits.js';
import type { ShowResponse, ThinkValue } from './wire.js';

/** What `POST api/show` tells of a model. */
export interface ShownFacts {
  /** `completion`, `tools`, `vision`, `thinking`, `insert`, `embedding` and so on; absent from old servers. */
  readonly capabilities?: readonly string[];
  /** Tokens that the model can have in its context. */
  readonly contextLength?: number;
  /** Numbers of an embedding. */
  readonly embeddingLength?: number;
  /** Tokens that the model's own file has it loaded with. */
  readonly numCtx?: number;
  /** The values of `think` that it takes. */
  readonly thinking: readonly ThinkValue[];
}

export function shownFacts(body: unknown): ShownFacts {
  const { capabilities, model_info: info, parameters, thinking }: ShowResponse = isObject(body) ? body : {};
  const known = Array.isArray(capabilities) ? capabilities.filter((word): word is string => typeof word === 'string') : undefined;
  return {
    capabilities: known,
    contextLength: isObject(info) ? lengthOf(info, 'context_length') : undefined,
    embeddingLength: isObject(info) ? lengthOf(info, 'embedding_length') : undefined,
    numCtx: positiveInteger(Number(/^num_ctx\s+(\d+)\s*$/m.exec(typeof parameters === 'string' ? parameters : '')?.[1])),
    thinking: known && !known.includes('thinking') ? [] : valuesOf(thinking),
  };
}

function lengthOf(info: JsonObject, what: 'context_length' | 'embedding_length'): number | undefined {
  const own = positiveInteger(info[`${String(info['general.architecture'])}.${what}`]);
  return own ?? positiveInteger(Object.entries(info).find(([name]) => name.endsWith(`.${what}`))?.[1]);
}

function valuesOf(thinking: unknown): readonly ThinkValue[] {
  const values = isObject(thinking) ? thinking['values'] : undefined;
  if (!Array.isArray(values)) return usualThinking;
  return values.filter((value): value is ThinkValue => typeof value === 'boolean' || typeof value === 'string');
}
