import { Redactor } from '../../common/redaction/redactor.js';
import type { Config } from '../../config/config.schema.js';
import { secretsOf } from '../../config/secrets.js';
import { StartError } from '../../config/start-error.js';
import type { LoadedModule } from '../kit/provider-module.js';
import { throwerOf } from './thrower.js';
import { reasonOf } from '../errors/thrown.js';

const hint =
  'the class of each argument must be a provider that the module has or imports (ProviderServicesModule has those of the ' +
  'gateway), and its type must be known at run time: build with emitDecoratorMetadata, or name it with @Inject()';

/**
 * What Nest or a class from outside has thrown while its module was made, as an operator can mend it: Nest's error
 * about what a class wants to be given, and the class's own, in the name of its module. Any other error as it is.
 */
export function nestModuleError(error: unknown, modules: readonly LoadedModule[], config: Config): unknown {
  const ofNest = error instanceof Error && /^(Unknown|Undefined)Depend/.test(error.constructor.name);
  if (ofNest && modules.some(({ nest }) => nest)) {
    return new StartError(
      `Modules: ${error.message
        .trim()
        .split('\n', 1)[0]!
        .replace(/ Please make sure.*$/, '')} ${hint}`,
    );
  }
  const thrower = throwerOf(error, modules);
  return thrower ? new StartError(new Redactor(secretsOf(config)).redact(`Modules: ${thrower.name}: ${reasonOf(error)}`)) : error;
}
