import { RequestMethod, type Type } from '@nestjs/common';
import { HEADERS_METADATA, HTTP_CODE_METADATA, METHOD_METADATA } from '@nestjs/common/constants.js';
import { ApiBearerAuth, ApiBody, ApiCookieAuth, ApiHeader, ApiOperation, ApiParam, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { type Signature, SignatureKind, type Symbol, type Type as SourceType, TypeFlags } from 'typescript/unstable/sync';
import type { MethodDeclaration } from 'typescript/unstable/ast';
import { answerHeaders, rateLimitHeaders } from './answer-headers.js';
import { errorAnswers } from './error-answers.js';
import { type JsonSchema, refTo } from './json-schema.js';
import { groups, type OperationFacts, operationFacts } from './operation-facts.js';
import type { Security } from './security.js';
import type { TypeSchemas } from './type-schemas.js';

/** The decorator by which Nest fills a parameter, with the name that it is given. */
const PARAMETER = /^@(Query|Param|Body|Headers|Id|IfMatch)\((?:'(.*?)')?/;

interface Parameter {
  readonly kind: string;
  readonly key: string | undefined;
  readonly type: SourceType;
  readonly optional: boolean;
}

interface Method {
  readonly name: string;
  readonly symbol: Symbol;
  readonly signature: Signature;
  readonly parameters: readonly Parameter[];
  readonly handler: object;
  readonly security: Security;
  readonly facts: OperationFacts;
}

/**
 * Gives @nestjs/swagger what the source of a controller says of its operations, by the decorators that one would
 * otherwise write there.
 */
export class Operations {
  constructor(private readonly types: TypeSchemas) {}

  describe(controller: Type, declared: Symbol, security: (handler: object) => Security): void {
    const { checker } = this.types;
    const prototype = controller.prototype as Record<string, object>;
    for (const symbol of checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(declared))) {
      const handler = prototype[symbol.name];
      if (!handler || !Reflect.hasMetadata(METHOD_METADATA, handler)) continue;
      const [signature] = checker.getSignaturesOfType(checker.getTypeOfSymbol(symbol)!, SignatureKind.Call) as [Signature];
      const name = `${declared.name}.${symbol.name}`;
      const parameters = this.#parametersOf(signature);
      const method = { name, symbol, signature, parameters, handler, security: security(handler), facts: operationFacts[name] ?? {} };
      const descriptor = Object.getOwnPropertyDescriptor(prototype, symbol.name)!;
      for (const decorate of [...this.#operation(method), ...this.#parameters(method), ...this.#answers(method)])
        decorate(prototype, symbol.name, descriptor);
    }
  }

  #parametersOf(signature: Signature): Parameter[] {
    const { parameters } = signature.declaration!.resolve() as MethodDeclaration;
    return parameters.flatMap((parameter, index) => {
      const [, kind, key] = PARAMETER.exec(parameter.getText()) ?? [];
      const type = this.types.checker.getParameterType(signature, index)!;
      const absent = type.isUnionType() && type.getTypes().some(({ flags }) => flags & TypeFlags.Undefined);
      return kind ? [{ kind, key, type, optional: absent || parameter.initializer !== undefined }] : [];
    });
  }

  *#operation({ name, symbol, security, facts }: Method): Iterable<MethodDecorator> {
    const [controller = '', own = ''] = name.split('.');
    const text = this.types.docsOf(symbol);
    if (text === undefined) throw new Error(`${name} needs a docstring: its first sentence is the summary of the operation`);
    const [, summary = text, description = ''] = /^(.*?)\.(?:\s+([\s\S]+))?$/.exec(text) ?? [];
    const room = controller.replace(/Controller$/, '');
    yield ApiOperation({
      operationId: facts.operationId ?? `${room[0]!.toLowerCase()}${room.slice(1)}_${own}`,
      summary,
      ...(description && { description }),
    });
    yield ApiTags(groups.find(([, , controllers]) => controllers.test(controller))?.[0] ?? words(room));
    if (security === 'api_key' || security === 'admin_token') yield ApiBearerAuth(security);
    if (security === 'admin_token' || security === 'session') yield ApiCookieAuth('session');
  }

  *#parameters({ parameters, facts }: Method): Iterable<MethodDecorator> {
    for (const { kind, key, type, optional } of parameters) {
      if (kind === 'IfMatch') {
        const description = 'An ETag: the change is made only where nobody else has made one since. Absent: in any case.';
        yield ApiHeader({ name: 'If-Match', description, schema: { type: 'string' }, required: false });
      } else if (kind === 'Body') {
        const examples = facts.examples && Object.fromEntries(Object.entries(facts.examples).map(([name, value]) => [name, { value }]));
        yield ApiBody({ schema: this.types.schemaOf(type) as object, required: !optional, examples });
      } else if (key === undefined && kind === 'Query') yield* this.#queries(type);
      else if (key !== undefined) {
        const schema = this.types.schemaOf(type) as object;
        if (kind === 'Query') yield ApiQuery({ name: key, schema, required: !optional });
        else if (kind === 'Param' || kind === 'Id') yield ApiParam({ name: key, schema });
        else yield ApiHeader({ name: key, schema, required: !optional });
      }
    }
    for (const { name, description, schema } of facts.requestHeaders ?? []) yield ApiHeader({ name, description, schema, required: false });
  }

  *#queries(type: SourceType): Iterable<MethodDecorator> {
    const { properties = {}, required = [] } = this.types.resolved(this.types.schemaOf(type));
    for (const [name, { description, ...schema }] of Object.entries(properties)) {
      if (Array.isArray(schema.type)) schema.type = schema.type.filter((one) => one !== 'null').join();
      yield ApiQuery({ name, description, schema: schema as object, required: required.includes(name) });
    }
  }

  *#answers({ symbol, signature, parameters, handler, security, facts }: Method): Iterable<MethodDecorator> {
    const content: Record<string, { schema: JsonSchema }> = {};
    const given = (Reflect.getMetadata(HEADERS_METADATA, handler) ?? []) as { name: string; value: string }[];
    const type = given.find((header) => header.name.toLowerCase() === 'content-type')?.value.split(';')[0];
    const answer = this.types.answered(this.types.checker.getReturnTypeOfSignature(signature)!);
    const answerSchema =
      type === undefined ? answer && this.types.schemaOf(answer) : { type: type === 'application/json' ? 'object' : 'string' };
    if (answerSchema) content[type ?? 'application/json'] = { schema: answerSchema };
    if (facts.event) {
      const [event, declaredIn] = facts.event;
      this.types.declare(event, declaredIn);
      content['text/event-stream'] = { schema: eventSchema(event) };
    }
    const posted = Reflect.getMetadata(METHOD_METADATA, handler) === RequestMethod.POST;
    const status = (Reflect.getMetadata(HTTP_CODE_METADATA, handler) as number | undefined) ?? (posted ? 201 : 200);
    const versioned = security === 'admin_token' && answerSchema && this.types.resolved(answerSchema).properties?.['version'];
    const headers = answerHeaders([
      'x-request-id',
      ...(facts.error ? ['request-id'] : []),
      ...(versioned ? ['etag'] : []),
      ...(facts.headers ?? []),
      ...(facts.generates || security === 'api_key' ? rateLimitHeaders : []),
    ]);
    const tags = symbol.getJsDocTags(this.types.checker);
    const textsOf = (tag: string): string[] => tags.filter(({ name }) => name === tag).map(({ text }) => (text ?? '').replace(/\n/g, ' '));
    yield ApiResponse({ status, description: sentence(textsOf('returns')[0]) ?? 'Answered.', headers, ...(answerSchema && { content }) });
    if (facts.cached) yield ApiResponse({ status: 304, description: 'The client has this version.', headers });
    const { generates = false, error } = facts;
    if (error) this.types.declare(...error);
    const named = parameters.some(({ kind }) => /^(Param|Id)$/.test(kind));
    const refusable = { security, parameters: named, generates, anthropic: error !== undefined };
    for (const refusal of errorAnswers(textsOf('throws'), refusable)) yield ApiResponse(refusal);
  }
}

/** One event of a stream; the last one is `[DONE]`. */
function eventSchema(type: string): JsonSchema {
  const chunk = { type: 'string', contentMediaType: 'application/json', contentSchema: refTo(type) };
  const data = { description: 'JSON, or `[DONE]` at the end.', anyOf: [{ const: '[DONE]' }, chunk] };
  return { type: 'object', description: 'Each event of the stream.', properties: { data }, required: ['data'] };
}

function sentence(text: string | undefined): string | undefined {
  return text && `${text[0]!.toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
}

/** AccountKeys -> Account keys */
function words(name: string): string {
  const parts = name.replace(/^Admin(?=[A-Z])/, '').match(/[A-Z][a-z]*/g) ?? [name];
  return parts.map((part, index) => (index === 0 ? part : part.toLowerCase())).join(' ');
}
