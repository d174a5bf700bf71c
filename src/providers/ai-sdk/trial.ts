import { setTimeout as wait } from 'node:timers/promises';
import type { AiSdkOptions } from './ai-sdk.type.js';
import type { AiSdkModel, AiSdkVendor, CreateVendor } from './wire.js';
import { checkedModel } from './checked-model.js';
import { versionOptions } from './call-options.js';

/** A host that there is not (RFC 2606), and a key that is none. */
const NOWHERE = 'http://switchyard.invalid/v1';
const NO_KEY = 'no-key';

/**
 * Has the package make a request that goes nowhere, to see that it makes it with the `fetch` that it is given: what it
 * sent in another way would pass by the gateway's limits, proxy and refused addresses.
 * @param model the vendor's name of a model
 * @param patience milliseconds in which a package asks, which has nothing to wait for
 * @returns the version of the AI SDK's interface that its models have
 * @throws Error (rejects) that says what is wrong with the package
 */
export async function tried(
  create: CreateVendor,
  { package: name, settings }: AiSdkOptions,
  model: string,
  patience = 5_000,
): Promise<AiSdkModel['specificationVersion']> {
  const asked = Promise.withResolvers<true>();
  const fetch = (): Promise<never> => {
    asked.resolve(true);
    return Promise.reject(new Error('a trial, which is not sent'));
  };
  const vendor: Partial<AiSdkVendor> | undefined = create({ ...settings, apiKey: NO_KEY, baseURL: NOWHERE, headers: {}, fetch });
  if (typeof vendor?.languageModel !== 'function') throw new Error(`the package ${name} makes no provider with a function languageModel`);
  const made = vendor.languageModel(model);
  checkedModel(made, name);
  const gone = new AbortController();
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: '.' }] }];
  const options = versionOptions({ prompt, abortSignal: gone.signal }, made);
  let failure: unknown;
  const asking = Promise.resolve(made.doGenerate(options)).then(undefined, (error: unknown) => void (failure = error));
  const late = wait(patience, undefined, { signal: gone.signal }).catch(() => undefined);
  const has = await Promise.race([asked.promise, asking, late]);
  gone.abort();
  if (has === true) return made.specificationVersion;
  const why = failure instanceof Error ? ` (${failure.message.slice(0, 200)})` : '';
  throw new Error(`the package ${name} does not send its requests with the setting fetch, and would pass by the gateway’s transport${why}`);
}
