import { dirname } from 'node:path';
import { ConfigError } from '../config/config-problems.js';
import { configPath, type LoadOptions, locateSetting } from '../config/load-config.js';
import { COMPATIBLE } from '../config/provider-type.js';
import { moduleAddress, resolveForModules } from './module-address.js';
import { moduleProblem, type ProviderModule, reasonOf } from './provider-module.js';

/** Milliseconds that the code of one module may take to be read and run. */
const PATIENCE = 30_000;

/**
 * Loads the modules that the configuration names, one after the other. Their code runs in this process and with its
 * rights.
 * @throws ConfigError naming each one that cannot be used
 */
export async function loadProviderModules(names: readonly string[], options: LoadOptions): Promise<ProviderModule[]> {
  if (names.length === 0) return [];
  const folder = dirname(configPath(options));
  resolveForModules(folder);
  const taken = new Set([COMPATIBLE, ...(options.types ?? []).map(({ type }) => type)]);
  const problems: string[] = [];
  const modules: ProviderModule[] = [];
  for (const [index, name] of names.entries()) {
    const path = ['modules', String(index)];
    const refuse = (why: string): void => void problems.push(`${locateSetting(path, options)}: ${path.join('.')} (${name}) ${why}`);
    try {
      const module = await defaultExport(moduleAddress(name, folder));
      const problem = moduleProblem(module, taken);
      if (problem) refuse(problem);
      else {
        modules.push(module as ProviderModule);
        for (const { type } of (module as ProviderModule).types) taken.add(type);
      }
    } catch (error) {
      refuse(`cannot be loaded: ${reasonOf(error)}`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return modules;
}

async function defaultExport(address: string): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it has not ended within ${PATIENCE / 1_000} s`)), PATIENCE);
  });
  try {
    return ((await Promise.race([import(address), late])) as { default?: unknown }).default;
  } finally {
    clearTimeout(timer);
  }
}
