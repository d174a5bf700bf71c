import type { DynamicModule, ForwardReference, INestApplicationContext, Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { Clock } from '../../common/time/clock.js';
import { waitAtMost } from '../../common/time/waits.js';
import { ExternalProvidersModule } from './external-providers.module.js';

const hooks = ['onModuleDestroy', 'beforeApplicationShutdown', 'onApplicationShutdown'] as const;

type Hooks = Partial<Record<(typeof hooks)[number], (signal?: string) => unknown>>;

/** Milliseconds for which the end of the gateway waits for one hook. */
const HOOK_MS = 5_000;

/**
 * Keeps the hooks of modules from outside from holding up the end of the gateway. Nest calls the hooks of one kind
 * after those of another, and waits for each without end: behind one that hung, the gateway would neither let streams
 * end nor close its ledger until the process is killed. Nest itself logs a hook that throws, and goes on.
 * @param root the gateway's own module
 */
export function guardEndHooks(app: INestApplicationContext, root: DynamicModule, ms = HOOK_MS): void {
  const clock = app.get(Clock);
  const classes = ownClasses(root);
  const all = [...app.get(ModulesContainer).values()];
  type Module = (typeof all)[number];
  const own = new Set<Module>();
  const visit = (module: Module): void => {
    // Nest has every module import those that are global, also from outside.
    if (own.has(module) || !classes.has(module.metatype)) return;
    own.add(module);
    for (const imported of module.imports) visit(imported);
  };
  all.filter((module) => module.metatype === root.module).forEach(visit);
  const made = (module: Module) => [...module.providers.values(), ...module.injectables.values()];
  // A module from outside may name an instance of the gateway's as a provider of its own.
  const ours = new Set<unknown>([...own].flatMap(made).map(({ instance }) => instance));
  for (const { instance } of all.filter((module) => !own.has(module)).flatMap(made))
    if (isObject(instance) && !ours.has(instance)) guard(instance, ms, clock);
}

type Imported = Type | DynamicModule | ForwardReference<() => Type> | Promise<DynamicModule>;

/** The classes of the module and of all that it imports, without modules from outside. */
function ownClasses(root: DynamicModule): ReadonlySet<unknown> {
  const classes = new Set<unknown>();
  const visit = (imported: Imported): void => {
    if (imported instanceof Promise) throw new TypeError('the gateway imports no module that is made later');
    const at = 'forwardRef' in imported ? imported.forwardRef() : imported;
    const { module, imports = [] } = 'module' in at ? at : { module: at };
    if (module === ExternalProvidersModule) return;
    imports.forEach((one) => visit(one as Imported));
    if (classes.has(module)) return;
    classes.add(module);
    const declared = Reflect.getMetadata('imports', module) as Imported[] | undefined;
    declared?.forEach(visit);
  };
  visit(root);
  return classes;
}

function guard(instance: Hooks, ms: number, clock: Clock): void {
  for (const hook of hooks) {
    const called = instance[hook];
    if (typeof called !== 'function') continue;
    const guarded = async (signal?: string): Promise<void> => waitAtMost(clock, ms, Promise.resolve(called.call(instance, signal)));
    Reflect.defineProperty(instance, hook, { value: guarded, configurable: true });
  }
}

function isObject(value: unknown): value is Hooks {
  return typeof value === 'object' && value !== null;
}
