import type { OpenAPIObject } from '@nestjs/swagger';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Response } from 'supertest';

interface Described {
  readonly headers?: object;
  readonly content?: Readonly<Record<string, object>>;
}

interface Operation {
  readonly responses: Readonly<Record<string, Described & { readonly $ref?: string }>>;
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly examples?: Readonly<Record<string, { value: object }>> }>>;
  };
}

/** Headers that HTTP itself has, or that the tools of a test ask for. */
const ordinary = /^(allow|cache-control|connection|content-(type|length|security-policy)|date|keep-alive|referrer-policy|transfer-encoding|vary|x-accel-buffering|x-content-type-options)$/; // prettier-ignore

/** Compares real answers with the description of the API. */
export class DescribedAnswers {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #seen = new Map<string, Set<string>>();

  constructor(private readonly document: OpenAPIObject) {
    formats.default(this.#ajv);
    this.#ajv.addSchema(document, 'document');
  }

  /** @param path as the description has it */
  check(method: string, path: string, answer: Response): void {
    const name = `${method} ${path}`;
    const status = String(answer.status);
    const { responses } = this.#operation(method, path);
    const given = responses[status];
    const at = given?.$ref?.slice(1) ?? `${pointer('paths', path, method.toLowerCase())}/responses/${status}`;
    const described = at.slice(1).split('/').reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[unescaped(part)], this.document) as Described | undefined; // prettier-ignore
    if (!described) throw new Error(`${name} answered ${status}, which is not described: ${answer.text}`);
    const headers = Object.keys(answer.headers).filter((header) => !ordinary.test(header) && !(header in (described.headers ?? {})));
    expect([name, status, headers]).toEqual([name, status, []]);
    if (described.content || answer.text) {
      expect([name, status, Object.keys(described.content ?? {})]).toEqual([name, status, expect.arrayContaining([answer.type])]);
      if (answer.type === 'application/json')
        expect([name, status, this.#problems(`${at}/content/application~1json/schema`, answer.body)]).toEqual([name, status, []]);
    }
    this.#seen.set(name, (this.#seen.get(name) ?? new Set()).add(status));
  }

  /** The statuses with which an operation was seen to answer. */
  statuses(method: string, path: string): string[] {
    return [...(this.#seen.get(`${method} ${path}`) ?? [])].sort();
  }

  examples(path: string): object[] {
    return Object.values(this.#operation('POST', path).requestBody!.content['application/json']!.examples ?? {}).map(({ value }) => value);
  }

  bodyProblems(path: string, body: unknown): unknown[] {
    return this.#problems(`${pointer('paths', path, 'post')}/requestBody/content/application~1json/schema`, body);
  }

  eventProblems(path: string, event: unknown): unknown[] {
    return this.#problems(
      `${pointer('paths', path, 'post')}/responses/200/content/text~1event-stream/schema/properties/data/anyOf/1/contentSchema`,
      event,
    );
  }

  #operation(method: string, path: string): Operation {
    return (this.document.paths[path] as unknown as Record<string, Operation>)[method.toLowerCase()]!;
  }

  #problems(at: string, value: unknown): unknown[] {
    const validate = this.#ajv.getSchema(`document#${encodeURI(at)}`) as ValidateFunction;
    return validate(value) ? [] : validate.errors!;
  }
}

function pointer(...parts: string[]): string {
  return parts.map((part) => `/${part.replace(/~/g, '~0').replace(/\//g, '~1')}`).join('');
}

function unescaped(part: string): string {
  return part.replace(/~1/g, '/').replace(/~0/g, '~');
}
