import type { ProviderConfig } from '../../config/config.schema.js';
import { packageAddress } from '../modules/module-address.js';
import { packageFolder } from '../modules/package-folder.js';
import { vendorPackage } from '../kit/vendor-package.js';
import { type AiSdkOptions, aiSdkOptionsOf } from './ai-sdk.type.js';
import { tried } from './trial.js';
import type { AiSdkModel, CreateVendor } from './wire.js';

/** A package that can be used. */
export interface LoadedPackage {
  /** Its function that makes its provider. */
  readonly create: CreateVendor;
  /** That of the AI SDK's interface. */
  readonly version: AiSdkModel['specificationVersion'];
}

/**
 * Imports the package of an entry, whose code then runs with the rights of the gateway, and tries it.
 * @throws Error (rejects) that says what is wrong with the entry or the package
 */
export async function loadPackage({ options: given, models = {} }: Pick<ProviderConfig, 'options' | 'models'>): Promise<LoadedPackage> {
  const options = aiSdkOptionsOf(given);
  const create = await importedFunction(options);
  const [first = 'model'] = Object.entries(models).map(([name, { upstream_model }]) => upstream_model ?? name);
  return { create, version: await tried(create, options, first) };
}

async function importedFunction({ package: name, export: named }: AiSdkOptions): Promise<CreateVendor> {
  const address = packageAddress(name, packageFolder());
  const exported = await vendorPackage([name], () => import(address) as Promise<Record<string, unknown>>);
  const makers = Object.keys(exported).filter((key) => /^create[A-Z]/.test(key) && typeof exported[key] === 'function');
  const chosen = named ?? makers[0];
  if (chosen === undefined || typeof exported[chosen] !== 'function')
    throw new Error(
      `the package ${name} has no function ${named ?? 'create...'}${makers.length > 0 ? `; it has ${makers.join(', ')}` : ''}`,
    );
  if (named === undefined && makers.length > 1)
    throw new Error(`the package ${name} has several functions that make a provider: name one of ${makers.join(', ')} in options.export`);
  return exported[chosen] as CreateVendor;
}
