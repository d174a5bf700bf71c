import type { OptionsSchema } from './options-schema.js';

/** The type of any address that speaks the OpenAI format. */
export const COMPATIBLE = 'openai-compatible';

/**
 * What the configuration knows of a `type` of provider. Each provider's module brings its own, as data
 * (provider-types.ts).
 */
export interface ProviderType {
  /** The value of an entry's `type`, and the id of the provider that the environment alone switches on. */
  readonly type: string;
  /** The name that people see. */
  readonly name: string;
  /**
   * The address of an entry that names none; `{region}` in it is the option of that name. Absent where each entry must
   * name one.
   */
  readonly baseUrl?: string;
  /**
   * Whether it serves without charging unless an entry says otherwise, because it runs on the operator's own machines.
   */
  readonly free?: boolean;
  /** The environment variables that fill in what an entry leaves out. All that a type needs together switch it on. */
  readonly environment?: {
    readonly apiKey?: string;
    readonly address?: string;
    /** The port where the address is a mere host, as OLLAMA_HOST may be. */
    readonly port?: number;
    /** Variables by the options that they fill in. */
    readonly options?: Readonly<Record<string, string>>;
  };
  /**
   * The variables that switch it on without an entry, all of them together. Absent: those of the key and the address,
   * as far as it needs them.
   */
  readonly requires?: readonly string[];
  /** Packages of the vendor without which those variables switch nothing on. */
  readonly packages?: readonly string[];
  /** The schema of an entry's `options`. Absent: nothing of them is checked. */
  readonly options?: OptionsSchema;
  /**
   * Says why an entry comes by the file alone: it names a package or a file, or uses what the machine is trusted with.
   * Absent, or undefined: it may be in the store too.
   */
  readonly fileAlone?: (entry: SecretSettings) => string | undefined;
  /** Dotted names of options whose values are secrets, beside those that the schema marks as `writeOnly`. */
  readonly secretOptions?: readonly string[];
}

/** The settings of an entry that say who the gateway is to the provider. */
interface SecretSettings {
  readonly api_key?: string | undefined;
  readonly options: Readonly<Record<string, unknown>>;
}
