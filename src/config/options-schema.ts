import { isObject } from '../wire/json-object.js';

/**
 * A schema of the settings in `options`: Standard Schema 1 (https://standardschema.dev), which zod, valibot and arktype
 * implement, as far as it is used here. `jsonSchema` is its extension Standard JSON Schema, which not all have.
 */
export interface OptionsSchema<Options = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => OptionsResult<Options> | Promise<OptionsResult<Options>>;
    readonly jsonSchema?: { readonly input: (target: { readonly target: 'draft-2020-12' }) => Record<string, unknown> };
    readonly types?: { readonly input: unknown; readonly output: Options } | undefined;
  };
}

type OptionsResult<Options> =
  { readonly value: Options; readonly issues?: undefined } | { readonly issues: readonly OptionsIssue[]; readonly value?: undefined };

export interface OptionsIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
  /** zod's code of the issue, and the names that it does not know. */
  readonly code?: unknown;
  readonly keys?: unknown;
}

/** @throws TypeError where the schema answers asynchronously, which a configuration cannot wait for */
export function validatedOptions(schema: OptionsSchema, options: unknown): OptionsResult<unknown> {
  const result = schema['~standard'].validate(options);
  if (result instanceof Promise) {
    result.catch(() => undefined);
    throw new TypeError('its schema answers asynchronously, which a configuration cannot wait for');
  }
  return result;
}

export function isOptionsSchema(value: unknown): value is OptionsSchema {
  const standard = (typeof value === 'function' || isObject(value)) && (value as Partial<OptionsSchema>)['~standard'];
  return isObject(standard) && standard['version'] === 1 && typeof standard['validate'] === 'function';
}

/** @returns undefined where the schema cannot be told as JSON schema */
export function jsonSchemaOf(schema: OptionsSchema): Record<string, unknown> | undefined {
  try {
    const { $schema: _, ...rest } = schema['~standard'].jsonSchema?.input({ target: 'draft-2020-12' }) ?? {};
    return Object.keys(rest).length > 0 ? rest : undefined;
  } catch {
    return undefined;
  }
}
