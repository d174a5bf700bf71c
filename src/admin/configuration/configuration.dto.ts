import { Redactor } from '../../common/redaction/redactor.js';
import type { ConfigService, ReloadReport } from '../../config/config.service.js';
import { secretsOf } from '../../config/secrets.js';
import { version } from '../../config/version.js';
import type { Integer } from '../../wire/integer.js';
import { isoTime } from '../fields.js';
import { withoutSecrets } from './without-secrets.js';

/** How reading the configuration again has ended. */
export class ReloadView {
  at: string;
  /** Why it could not be used, so that the one before stays; empty where it could. */
  problems: string[];
  /** The names of settings that have changed and wait for a restart. */
  waiting: string[];
}

/** The configuration in force at the process that answers. */
export class ConfigurationView {
  /** Of the program. */
  program_version: string;
  /** How many configurations the process has had since its start, with this one. */
  revision: Integer;
  /** Since when it is in force. */
  since: string;
  /** Where each value comes from that is no default, `file:line:column` or a variable; null where it is not known. */
  sources: Record<string, string> | null;
  /** The ids of those of its providers that come from the store and not from the file. */
  stored_providers: string[];
  /** The last time that the process has read it again; null: never. */
  last_reload: ReloadView | null;
  /** With defaults, and `[redacted]` in the place of secrets. */
  configuration: object;
}

export function configurationView({ current, file, revision, since, sources, lastReload }: ConfigService): ConfigurationView {
  const secrets = secretsOf(current);
  const redactor = new Redactor(secrets);
  return {
    program_version: version(),
    revision,
    since: isoTime(since),
    sources: sources ? Object.fromEntries(sources) : null,
    stored_providers: Object.keys(current.providers).filter((id) => !Object.hasOwn(file.providers, id)),
    last_reload: lastReload ? reloadView(lastReload, redactor) : null,
    configuration: withoutSecrets(current, secrets, redactor) as object,
  };
}

function reloadView({ at, problems, waiting }: ReloadReport, redactor: Redactor): ReloadView {
  return { at: isoTime(at), problems: problems.map((problem) => redactor.redact(problem)), waiting: [...waiting] };
}
