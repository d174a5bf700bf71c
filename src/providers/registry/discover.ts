import type { DiscoveryService } from '@nestjs/core';
import { PROVIDER_CONTRACT_VERSION } from '../contract/model-provider.js';

type Wrapper = ReturnType<DiscoveryService['getProviders']>[number];

/** @returns the instances that carry `brand` with our contract version, each once, and what is wrong with the others */
export function discover(wrappers: readonly Wrapper[], brand: symbol): { instances: unknown[]; problems: string[] } {
  const instances = new Set<unknown>();
  const problems: string[] = [];
  for (const wrapper of wrappers) {
    const isStatic = wrapper.isDependencyTreeStatic();
    // Until a request comes the instance of a request-scoped class is a bare prototype, whose brand is a getter.
    const candidate: unknown = isStatic ? wrapper.instance : (wrapper.metatype as { prototype?: unknown } | null)?.prototype;
    if (typeof candidate !== 'object' || candidate === null || !Reflect.has(candidate, brand)) continue;
    const version = (candidate as Record<symbol, unknown>)[brand];
    if (version !== PROVIDER_CONTRACT_VERSION) {
      problems.push(`${wrapper.name} was built for contract version ${String(version)}, this is version ${PROVIDER_CONTRACT_VERSION}`);
    } else if (!isStatic) problems.push(`${wrapper.name} is request-scoped, a provider lives as long as the process`);
    else instances.add(candidate);
  }
  return { instances: [...instances], problems };
}
