import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { Accepts, RecordedRequest, Reply } from '../loopback-upstream.js';
import { inWords, newAjv } from '../taken-by-schema.js';
import { templateRefusal } from './chat-templates.js';
import { placesOf } from './places.js';
import { isObject, type Members, ruleHolds } from './rule-words.js';

interface Rule {
  readonly id: string;
  readonly operations?: readonly string[];
  readonly models?: string;
  readonly where: string;
  readonly rule: Members;
  readonly gist: string;
}

interface VendorRules {
  readonly unknownFields: 'refuse' | 'ignore';
  readonly schemaOf?: string;
  readonly rules: readonly Rule[];
}

interface Schemas {
  readonly operations: Readonly<Record<string, object>>;
  readonly $defs: object;
}

/** A folder of what vendors take. It is no part of the repository; without it, nothing is refused. */
const folder = process.env['SWITCHYARD_VENDOR_SCHEMAS'];

/**
 * What a vendor takes: its schemas of requests and the rules beside them, as the folder has them.
 * @param name of the vendor's folder, for the OpenAI format; the paths of other formats tell the vendor. Absent: where a path begins with a
 * vendor's name, that one, and otherwise OpenAI for responses and a server of one's own for the rest
 */
export function vendor(name?: string): Accepts {
  return folder === undefined ? () => undefined : (request) => refusal(folder, request, name ?? vendorOf(folder, request.path));
}

function vendorOf(root: string, path: string): string {
  const [, prefix] = /^\/([a-z-]+)\//.exec(path) ?? [];
  if (prefix !== undefined && existsSync(join(root, prefix, 'rules.json'))) return prefix;
  return path.includes('/responses') ? 'openai' : 'own-server';
}

/** The operation and the model that a path means, and the vendor that alone has it. */
const paths: readonly (readonly [path: RegExp, operation: string, vendor?: string])[] = [
  [/\/models\/(.+):(?:stream)?rawPredict$/i, 'messages', 'anthropic'],
  [/\/model\/(.*claude.*)\/invoke(?:-with-response-stream)?$/, 'messages', 'anthropic'],
  [/\/model\/(.+)\/converse$/, 'Converse', 'bedrock'],
  [/\/model\/(.+)\/converse-stream$/, 'ConverseStream', 'bedrock'],
  ...(['vertex', 'gemini'] as const).flatMap((google) =>
    ['generateContent', 'embedContent', 'batchEmbedContents', 'predict'].map((operation) => {
      const end = operation === 'generateContent' ? '(?:g|streamG)enerateContent' : operation;
      return [new RegExp(`${google === 'vertex' ? '/projects/.*' : ''}/models/(.+):${end}$`), operation, google] as const;
    }),
  ),
  [/\/messages$/, 'messages', 'anthropic'],
  [/\/messages\/count_tokens$/, 'messages/count_tokens', 'anthropic'],
  [/\/v2\/chat$/, 'v2/chat', 'cohere'],
  [/\/v2\/embed$/, 'v2/embed', 'cohere'],
  ...['chat', 'generate', 'embed'].map((name) => [new RegExp(`/api/${name}$`), `api/${name}`, 'ollama'] as const),
  ...['chat/completions', 'fim/completions', 'completions', 'embeddings', 'responses', 'responses/input_tokens', 'responses/compact'].map(
    (name) => [new RegExp(`/${name}$`), name] as const,
  ),
];

/** For specs that send what no vendor takes. */
export const anything: Accepts = () => undefined;

/**
 * @returns the rule that the request breaks, with its place, or the answer of a server whose template refuses it;
 *   undefined where it is taken, or asks for no generation
 */
async function refusal(
  root: string,
  { method, path, headers, body: text }: RecordedRequest,
  name: string,
): Promise<string | Reply | undefined> {
  const [pathname = ''] = decodeURIComponent(path).split('?');
  const [end, operation, only] = paths.find(([one]) => one.test(pathname)) ?? [];
  if (method !== 'POST' || end === undefined || operation === undefined) return undefined;
  const body: unknown = JSON.parse(text);
  if (!isObject(body)) return 'the body is no object';
  const [, inPath] = end.exec(pathname)!;
  const { anthropic_version: hosted, anthropic_beta: beta, ...asked } = body;
  const model = String(inPath ?? body['model']);
  // Where Claude is hosted, the path names the model.
  const whole: Members = only === 'anthropic' && hosted !== undefined ? { ...asked, model } : body;
  const { rules, checks } = await judgeOf(root, only ?? name, operation, 'anthropic-beta' in headers || beta !== undefined);
  for (const check of checks) if (!check(whole)) return `${only ?? name}: schema of ${operation}: ${inWords(check.errors!)}`;
  for (const { id, models, where, rule, gist } of rules) {
    if (models !== undefined && !new RegExp(models).test(model)) continue;
    const found = placesOf(whole, where).filter(([, value]) => value !== undefined);
    const broken = found.find(([place, value]) => !ruleHolds(value, { body: whole, rule, place }));
    if (broken) return `${only ?? name}: ${id}: ${gist} (${broken[0]})`;
    if (found.length > Number(rule['maxCount'] ?? Infinity)) return `${only ?? name}: ${id}: ${gist} (${found.length})`;
  }
  // Ollama has templates of its own beside those that models bring.
  const renders = (only ?? name) === 'ollama' || rules.some(({ rule }) => rule['template']);
  return renders && Array.isArray(body['messages']) ? templateRefusal(root, only ?? name, whole) : undefined;
}

interface Judge {
  readonly rules: readonly Rule[];
  readonly checks: readonly ValidateFunction[];
}

const judges = new Map<string, Promise<Judge>>();

/** Compiled once in a process. */
function judgeOf(root: string, name: string, operation: string, beta: boolean): Promise<Judge> {
  const key = `${name} ${operation} ${beta}`;
  const known = judges.get(key) ?? newJudge(root, name, operation, beta);
  judges.set(key, known);
  return known;
}

async function newJudge(root: string, name: string, operation: string, beta: boolean): Promise<Judge> {
  const { unknownFields, schemaOf = name, rules } = JSON.parse(readFileSync(join(root, name, 'rules.json'), 'utf8')) as VendorRules;
  const schemas = (file: string): Schemas | undefined => {
    const path = join(root, schemaOf, `${file}.json`);
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Schemas) : undefined;
  };
  const has = (some: Schemas | undefined): some is Schemas => some?.operations[operation] !== undefined;
  const published = [beta ? schemas('requests-beta') : undefined, schemas('requests')].find(has);
  const ofClient = schemas('requests-sdk');
  const ajv = await newAjv({ validateSchema: false });
  const compiled = (some: Schemas | undefined, closed: boolean) =>
    has(some) ? [ajv.compile(asRead({ ...some.operations[operation], $defs: some.$defs }, closed) as object)] : [];
  return {
    // Signatures are not verified: what the rule wants is the mark of other tests.
    rules: rules.filter(({ id, operations }) => id !== 'signature' && (operations?.includes(operation) ?? true)),
    // Where the types of the vendor's client are there too, they tell which members are unknown.
    checks: [...compiled(published, unknownFields === 'refuse' && !has(ofClient)), ...compiled(ofClient, unknownFields === 'refuse')],
  };
}

/**
 * A schema as vendors read it: branches may overlap.
 * @param closed refuses members that it does not name; otherwise they are ignored
 */
function asRead(schema: unknown, closed: boolean, part = false): unknown {
  if (Array.isArray(schema)) return schema.map((one) => asRead(one, closed, part));
  if (!isObject(schema)) return schema;
  const read: Record<string, unknown> = {};
  for (const [word, value] of Object.entries(schema)) {
    if (['enum', 'const', 'default', 'required'].includes(word)) read[word] = value;
    else if (['properties', 'patternProperties', '$defs'].includes(word))
      read[word] = Object.fromEntries(Object.entries(value as Members).map(([name, one]) => [name, asRead(one, closed)]));
    else if (word !== 'additionalProperties' || closed || isObject(value))
      read[word === 'oneOf' ? 'anyOf' : word] = asRead(value, closed, word === 'allOf');
  }
  return closed && !part && 'properties' in read ? { additionalProperties: false, ...read } : read;
}
