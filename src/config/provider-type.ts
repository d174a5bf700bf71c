/** What the configuration has to know of a `type` of provider. Each provider's module brings its own, as data (providers.module.ts). */
export interface ProviderType {
  /** Value of an entry's `type`, and the id of the provider that the environment alone switches on. */
  readonly type: string;
  /** Human name. */
  readonly name: string;
  /** Address of an entry that names none. Absent: each entry must. */
  readonly baseUrl?: string;
  /** Serves without charging unless an entry says otherwise: it runs on the operator's own machines. */
  readonly free?: boolean;
  /** Variables of the environment that stand in for what an entry leaves out. All that a type needs together switch it on. */
  readonly environment?: {
    readonly apiKey?: string;
    readonly address?: string;
    /** Of an address that is a mere host, as OLLAMA_HOST may be. */
    readonly port?: number;
  };
}
