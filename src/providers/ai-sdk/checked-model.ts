import { isObject } from '../../wire/json-object.js';

/** @throws Error where what a package has made is no model of a version that is spoken here */
export function checkedModel(model: unknown, name: string): void {
  const { specificationVersion: version, doStream, doGenerate } = isObject(model) ? model : {};
  if (version === 'v2')
    throw new Error(
      `the package ${name} speaks version v2 of the AI SDK, which leaves open whether a prompt’s count has what came from a cache: install a version of it for AI SDK 6 or later`,
    );
  if (version !== 'v3' && version !== 'v4')
    throw new Error(`the package ${name} speaks version ${String(version)} of the AI SDK, not v3 or v4`);
  if (typeof doStream !== 'function' || typeof doGenerate !== 'function') throw new Error(`the package ${name} makes no language models`);
}
