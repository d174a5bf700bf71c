import type { OpenAPIObject } from '@nestjs/swagger';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Response } from 'supertest';
import { payloadsOf } from './event-stream.js';

interface Described {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, object>>;
}

interface Operation {
  readonly responses: Readonly<Record<string, Described & { readonly $ref?: string }>>;
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly examples?: Readonly<Record<string, { value: object }>> }>>;
  };
}

/** Headers that HTTP itself has, those that keep browsers safe, and what Fastify tells of methods. */
const ordinary = /^(allow|cache-control|connection|content-(encoding|type|length|security-policy)|date|keep-alive|referrer-policy|transfer-encoding|vary|x-content-type-options)$/; // prettier-ignore

/** Compares real answers with the description of the API: status, headers and body. What is not described is wrong. */
export class DescribedAnswers {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  /** The operations, those whose address has the fewest parameters first. */
  readonly #operations: readonly { readonly name: string; readonly pattern: RegExp; readonly seen: Set<string> }[];

  constructor(private readonly document: OpenAPIObject) {
    formats.default(this.#ajv);
    this.#ajv.addSchema(closed(document), 'document');
    this.#operations = Object.entries(document.paths)
      .toSorted(([one], [other]) => one.split('{').length - other.split('{').length)
      .flatMap(([path, operations]) =>
        Object.keys(operations).map((method) => ({
          name: `${method.toUpperCase()} ${path}`,
          pattern: new RegExp(`^${method} ${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`, 'i'),
          seen: new Set<string>(),
        })),
      );
  }

  /** @throws Error where the answer is another than what the description allows */
  readonly check = (answer: Response): void => {
    const { method, url } = answer.request as unknown as { method: string; url: string };
    const called = `${method} ${new URL(url).pathname}`;
    const operation = this.#operations.find(({ pattern }) => pattern.test(called));
    if (!operation) {
      if (answer.status < 400) throw new Error(`${called} is not described, and answered ${answer.status}`);
      return;
    }
    const { name, seen } = operation;
    const status = String(answer.status);
    const at = this.#answerOf(name, status);
    const described = at === undefined ? undefined : (this.#at(at) as Described);
    if (at === undefined || !described) throw new Error(`${name} answered ${status}, which is not described: ${answer.text}`);
    const problems = [...this.#headerProblems(answer, described), ...this.#contentProblems(answer, described, at)];
    expect([name, status, problems]).toEqual([name, status, []]);
    seen.add(status);
  };

  /** What spec files before have seen does not count. */
  forget(): void {
    for (const { seen } of this.#operations) seen.clear();
  }

  /** The statuses with which an operation was seen to answer, for example `POST /v1/completions`. */
  statuses(name: string): string[] {
    return [...this.#operations.find((operation) => operation.name === name)!.seen].sort();
  }

  /** The operations that were not seen to succeed. */
  withoutSuccess(): string[] {
    return this.#operations.flatMap(({ name, seen }) => ([...seen].some((status) => status.startsWith('2')) ? [] : [name])).sort();
  }

  examples(path: string): object[] {
    return Object.values(this.#operation('POST', path).requestBody!.content['application/json']!.examples ?? {}).map(({ value }) => value);
  }

  bodyProblems(path: string, body: unknown): unknown[] {
    return this.#problems(`${pointer('paths', path, 'post')}/requestBody/content/application~1json/schema`, body);
  }

  /** Where the answer of a status is in the document. */
  #answerOf(name: string, status: string): string | undefined {
    const [method = '', path = ''] = name.split(' ');
    const given = this.#operation(method, path).responses[status];
    return given && (given.$ref?.slice(1) ?? `${pointer('paths', path, method.toLowerCase())}/responses/${status}`);
  }

  #headerProblems({ headers }: Response, described: Described): string[] {
    return Object.entries(headers as Record<string, string | string[]>).flatMap(([header, value]) => {
      const text = String(value);
      if (ordinary.test(header)) return [];
      if (!described.headers || !(header in described.headers)) return [`the header ${header} is not described`];
      const at = `${pointer('components', 'headers', header)}/schema`;
      const { type } = this.#at(at) as { type: string };
      return this.#problems(at, type === 'integer' ? Number(text) : text).length > 0 ? [`the header ${header}: ${text}`] : [];
    });
  }

  #contentProblems({ type, text, body }: Response, { content = {} }: Described, at: string): unknown[] {
    if (!text && Object.keys(content).length === 0) return [];
    if (!(type in content)) return [`a body of the type ${type} is not described`];
    const schema = `${at}${pointer('content', type, 'schema')}`;
    if (type === 'application/json') return this.#problems(schema, typeof body === 'string' ? JSON.parse(body) : body);
    if (type !== 'text/event-stream' || text === undefined) return [];
    const events = payloadsOf(text.replaceAll(/^event: .*\n/gm, '')).filter((payload) => payload !== '[DONE]');
    return events.flatMap((event) => this.#eventProblems(`${schema}/properties/data/anyOf/1/contentSchema`, JSON.parse(event)));
  }

  /** The last event of a stream that has failed is the error. */
  #eventProblems(schema: string, event: unknown): unknown[] {
    const failed = typeof event === 'object' && event !== null && 'error' in event;
    const body = failed && 'type' in event ? 'MessagesErrorBody' : 'ErrorBody';
    return this.#problems(failed ? `/components/schemas/${body}` : schema, event);
  }

  #operation(method: string, path: string): Operation {
    return (this.document.paths[path] as unknown as Record<string, Operation>)[method.toLowerCase()]!;
  }

  #at(at: string): unknown {
    return at.slice(1).split('/').reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[unescaped(part)], this.document); // prettier-ignore
  }

  #problems(at: string, value: unknown): unknown[] {
    const validate = this.#ajv.getSchema(`document#${encodeURI(at)}`) as ValidateFunction;
    return validate(value) ? [] : validate.errors!.map(({ instancePath, message, params }) => [instancePath, message, params]);
  }
}

/**
 * The document with objects that have no other fields than those of the document. What is below `allOf` adds to what
 * stands beside it.
 */
function closed(value: unknown): object {
  if (Array.isArray(value)) return value.map(visited);
  const entries = Object.entries(value as object).map(([name, below]): [string, unknown] =>
    name === 'allOf' ? [name, below] : [name, visited(below)],
  );
  const own = Object.fromEntries(entries);
  return own['type'] === 'object' && own['properties'] && !('additionalProperties' in own) ? { ...own, additionalProperties: false } : own;
}

const visited = (value: unknown): unknown => (typeof value === 'object' && value !== null ? closed(value) : value);

function pointer(...parts: string[]): string {
  return parts.map((part) => `/${part.replace(/~/g, '~0').replace(/\//g, '~1')}`).join('');
}

function unescaped(part: string): string {
  return part.replace(/~1/g, '/').replace(/~0/g, '~');
}
