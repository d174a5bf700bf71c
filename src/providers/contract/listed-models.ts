import { isObject } from '../../wire/json-object.js';
import type { ProviderModel } from './model-provider.js';

/**
 * What `models()` of a provider has given, if it is a list of models.
 * @throws TypeError
 */
export function listedModels(answer: unknown): readonly ProviderModel[] {
  if (!Array.isArray(answer)) throw new TypeError('models() gave no list');
  const wrong = answer.findIndex((model) => !isObject(model) || typeof model['id'] !== 'string');
  if (wrong >= 0) throw new TypeError(`models() gave a list with something without an id, in place ${wrong}`);
  return answer as ProviderModel[];
}
