import { StartError } from '../config/start-error.js';
import type { LoadedModule } from './provider-module.js';

const hint =
  'the class of each argument must be a provider that the module has or imports (ProviderServicesModule has those of the ' +
  'gateway), and its type must be known at run time: build with emitDecoratorMetadata, or name it with @Inject()';

/** Nest's error about what a class from outside wants to be given, as an operator can mend it; any other as it is. */
export function nestModuleError(error: unknown, modules: readonly LoadedModule[]): unknown {
  const ofNest = error instanceof Error && /^(Unknown|Undefined)Depend/.test(error.constructor.name);
  if (!ofNest || !modules.some(({ nest }) => nest)) return error;
  return new StartError(
    `Modules: ${error.message
      .trim()
      .split('\n', 1)[0]!
      .replace(/ Please make sure.*$/, '')} ${hint}`,
  );
}
