import type { Ajv2020, ErrorObject, Options, ValidateFunction } from 'ajv/dist/2020.js';
import type { Accepts } from './loopback-upstream.js';

/** What a JSON Schema of bodies, of the draft of 2020, takes; a request without a body it leaves alone. */
export function takenBySchema(schema: object): Accepts {
  let check: Promise<ValidateFunction> | undefined;
  return async ({ body }) => {
    check ??= newAjv().then((ajv) => ajv.compile(schema));
    const validate = await check;
    return body === '' || validate(JSON.parse(body)) ? undefined : inWords(validate.errors!);
  };
}

/** Loaded where something is checked: most specs have no schema. Few bodies are, so that to compile soon counts. */
export async function newAjv(options: Options = {}): Promise<Ajv2020> {
  const { Ajv2020: Ajv } = await import('ajv/dist/2020.js');
  return new Ajv({
    strict: false,
    validateFormats: false,
    unicodeRegExp: false,
    inlineRefs: false,
    logger: false,
    code: { optimize: false },
    ...options,
  });
}

/** The error furthest inside: a union fails by each of its branches. */
export function inWords(errors: readonly ErrorObject[]): string {
  const depth = ({ instancePath }: ErrorObject) => instancePath.split('/').length;
  const { instancePath, message, params } = errors.toSorted((a, b) => depth(b) - depth(a))[0]!;
  return `${message} ${JSON.stringify(params)} (${instancePath})`;
}
