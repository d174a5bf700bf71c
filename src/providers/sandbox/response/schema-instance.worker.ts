/**
 * Makes instances of JSON schemas in a thread of its own: a hostile schema costs this thread, which its owner ends at a
 * deadline, and not the event loop. It imports no file of ours: specs run a compiled copy that lies elsewhere.
 */
import { parentPort } from 'node:worker_threads';
import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { generateSync, type JsonSchema } from 'json-schema-faker';

interface Task {
  id: number;
  schema: Record<string, unknown>;
  seed: number;
  hints: {
    text: string;
    phrases: readonly string[];
    numbers: readonly number[];
    values?: Readonly<Record<string, unknown>>;
    sparse?: boolean;
  };
}

/** The generator does not know every keyword, so each instance is validated. Later attempts are plainer or deeper. */
const ATTEMPTS = [
  { hinted: true, maxDepth: 8, optionalsProbability: 0.8 },
  { hinted: true, maxDepth: 16, optionalsProbability: 0 },
  { hinted: false, maxDepth: 8, optionalsProbability: 0.8 },
  { hinted: false, maxDepth: 16, optionalsProbability: 0.5 },
  { hinted: false, maxDepth: 32, optionalsProbability: 0 },
  { hinted: false, maxDepth: 64, optionalsProbability: 0 },
];
const ROUNDS = 3;
/** The largest JSON text of an instance, in UTF-16 code units. */
const MAX_JSON = 65_536;

/** Fields with such a name want a sentence rather than a name. */
const WANTS_TEXT =
  /text|message|body|content|summary|description|explanation|reason|answer|question|query|prompt|comment|note|story|sentence|steps?|thought/i;
/** A string whose schema has one of these keywords may not be replaced. */
const BINDING = ['enum', 'const', 'pattern', 'format', 'contentEncoding', 'not', 'allOf', 'anyOf', 'oneOf', '$ref'];

/** Neither the generator nor the validator knows members of the one name: here they have the other. */
const UNKNOWN_NAME = '"__proto__"';
const KNOWN_NAME = '"__prot\u00f6__"';

/** A validator keeps something of each schema for ever, so each schema gets its own, which takes about 1 ms. */
const options = { strict: false, validateFormats: true, logger: false, validateSchema: false } as const;
const dialects = [() => new Ajv2020(options), () => new Ajv(options), () => new Ajv({ ...options, unicodeRegExp: false })];

parentPort!.on('message', (task: Task) => parentPort!.postMessage({ id: task.id, ...instance(task) }));
parentPort!.postMessage('ready');

function instance({ schema: given, seed, hints }: Task): { json: string } | { problem: string } {
  const schema = JSON.parse(JSON.stringify(given).replaceAll(UNKNOWN_NAME, KNOWN_NAME)) as Task['schema'];
  const compiled = compile(schema);
  if (typeof compiled === 'string') return { problem: compiled };
  let problem = 'no instance of it was found';
  for (let round = 0; round < ROUNDS; round++) {
    for (const { hinted, ...limits } of ATTEMPTS) {
      try {
        const made = generateSync(schema, {
          ...limits,
          ...(hints.sparse && hinted ? { optionalsProbability: 0 } : {}),
          seed: seed + round,
          useDefaultValue: false,
          useExamplesValue: true,
          ...(hinted ? { outputTransform: fill(hints) } : {}),
        });
        const value = withValues(made, hints.values ?? {}, compiled);
        if (!compiled(value)) continue;
        const json = JSON.stringify(value).replaceAll(KNOWN_NAME, UNKNOWN_NAME);
        if (json.length <= MAX_JSON) return { json };
        problem = 'its instances are too large';
      } catch (error) {
        problem = (error as Error).message;
      }
    }
  }
  return { problem };
}

/** Puts the values into an instance, or where it is not valid with all of them those that keep it valid. */
function withValues(made: unknown, values: Readonly<Record<string, unknown>>, isValid: ValidateFunction): unknown {
  if (typeof made !== 'object' || made === null || Array.isArray(made)) return made;
  const all: unknown = { ...made, ...values };
  if (isValid(all)) return all;
  let result: object = made;
  for (const [name, value] of Object.entries(values)) {
    const next = { ...result, [name]: value };
    if (isValid(next)) result = next;
  }
  return result;
}

/**
 * Compiles the schema in the dialect that it names, or in the first one that accepts it.
 * @returns the validator, or what is wrong
 */
function compile(schema: Record<string, unknown>): ValidateFunction | string {
  const draft7 = typeof schema.$schema === 'string' && schema.$schema.includes('draft-0');
  let problem = '';
  for (const dialect of draft7 ? dialects.slice(1) : dialects) {
    try {
      const ajv = dialect();
      ajvFormats.default(ajv);
      return ajv.compile(schema);
    } catch (error) {
      problem ||= (error as Error).message;
    }
  }
  return problem;
}

/** Puts the user's words and numbers, instead of random letters, where the schema leaves the value open. */
function fill(hints: Task['hints']) {
  let phrase = 0;
  let number = 0;
  return (value: unknown, schema: JsonSchema, path: string): unknown => {
    if (typeof schema !== 'object' || BINDING.some((keyword) => Object.hasOwn(schema, keyword))) return value;
    if (typeof value === 'string') {
      const field = path.slice(path.lastIndexOf('/') + 1);
      const wanted = WANTS_TEXT.test(field) ? hints.text : hints.phrases[phrase++ % hints.phrases.length]!;
      return wanted.padEnd(schema.minLength ?? 0, '.').slice(0, schema.maxLength);
    }
    if (typeof value === 'number') {
      const said = hints.numbers[number];
      if (said !== undefined && fits(said, schema)) {
        number++;
        return said;
      }
      return fits(1, schema) && isFree(schema) ? (Math.abs(Math.trunc(value)) % 10) + 1 : value;
    }
    return value;
  };
}

function fits(value: number, schema: Exclude<JsonSchema, boolean>): boolean {
  return (
    (schema.type !== 'integer' || Number.isInteger(value)) &&
    value >= (schema.minimum ?? -Infinity) &&
    value <= (schema.maximum ?? Infinity) &&
    value > (schema.exclusiveMinimum ?? -Infinity) &&
    value < (schema.exclusiveMaximum ?? Infinity)
  );
}

function isFree(schema: Exclude<JsonSchema, boolean>): boolean {
  return ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].every((keyword) => !Object.hasOwn(schema, keyword));
}
