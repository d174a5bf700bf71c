import { RequestMethod, type Type } from '@nestjs/common';
import { HEADERS_METADATA, HTTP_CODE_METADATA, METHOD_METADATA } from '@nestjs/common/constants.js';
import { ApiBearerAuth, ApiBody, ApiCookieAuth, ApiHeader, ApiOperation, ApiParam, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { ClassDeclaration, ClassMethod, Param, TsType, TsTypeAnnotation } from '@swc/core';
import { answerHeaders, rateLimitHeaders } from './answer-headers.js';
import { errorAnswers } from './error-answers.js';
import { type JsonSchema, refTo } from './json-schema.js';
import { groups, type OperationFacts, operationFacts } from './operation-facts.js';
import type { Security } from './security.js';
import type { Declared, Docs, SourceFile } from './source-files.js';
import type { TypeSchemas } from './type-schemas.js';

const PARAMETER = /^(Query|Param|Body|Headers|Id|IfMatch)$/;

/**
 * Tells @nestjs/swagger what the source of a controller says of its operations, by the decorators that one would
 * otherwise write there.
 */
export class Operations {
  constructor(private readonly types: TypeSchemas) {}

  describe(controller: Type, { declaration, file }: Declared, security: (handler: object) => Security): void {
    const { body, identifier } = declaration as ClassDeclaration;
    const prototype = controller.prototype as Record<string, object>;
    for (const member of body) {
      if (member.type !== 'ClassMethod' || member.key.type !== 'Identifier') continue;
      const handler = prototype[member.key.value];
      if (!handler || !Reflect.hasMetadata(METHOD_METADATA, handler)) continue;
      const name = `${identifier.value}.${member.key.value}`;
      const decorators = [
        ...this.#operation(name, member, file, security(handler)),
        ...this.#parameters(member, file, operationFacts[name]),
        ...this.#answers(name, member, file, handler, security(handler)),
      ];
      const descriptor = Object.getOwnPropertyDescriptor(prototype, member.key.value)!;
      for (const decorate of decorators) decorate(prototype, member.key.value, descriptor);
    }
  }

  *#operation(name: string, method: ClassMethod, file: SourceFile, security: Security): Iterable<MethodDecorator> {
    const [controller = '', own = ''] = name.split('.');
    const { text } = file.docsOf(method);
    if (text === undefined) throw new Error(`${file.path}: ${name} needs a docstring: its first sentence is the summary of the operation`);
    const [, summary = text, description = ''] = /^(.*?)\.(?:\s+([\s\S]+))?$/.exec(text) ?? [];
    const room = controller.replace(/Controller$/, '');
    yield ApiOperation({
      operationId: operationFacts[name]?.operationId ?? `${room[0]!.toLowerCase()}${room.slice(1)}_${own}`,
      summary,
      ...(description && { description }),
    });
    yield ApiTags(groups.find(([, , controllers]) => controllers.test(controller))?.[0] ?? words(room));
    if (security === 'api_key' || security === 'admin_token') yield ApiBearerAuth(security);
    if (security === 'admin_token' || security === 'session') yield ApiCookieAuth('session');
  }

  *#parameters({ function: { params } }: ClassMethod, file: SourceFile, facts: OperationFacts = {}): Iterable<MethodDecorator> {
    for (const parameter of params) {
      const { kind, key } = sourceOf(parameter);
      if (!kind) continue;
      const { type, optional } = typeOf(parameter);
      if (kind === 'IfMatch') {
        const description = 'An ETag: the change is made only where nobody else has made one since. Absent: in any case.';
        yield ApiHeader({ name: 'If-Match', description, schema: { type: 'string' }, required: false });
      } else if (kind === 'Body') {
        const examples = facts.examples && Object.fromEntries(Object.entries(facts.examples).map(([name, value]) => [name, { value }]));
        yield ApiBody({ schema: type ? this.types.schemaOf(type, file) : {}, required: !optional, examples });
      } else if (key === undefined && kind === 'Query' && type) yield* this.#queries(type, file);
      else if (key !== undefined) {
        const schema = (type ? this.types.schemaOf(type, file) : { type: 'string' }) as object;
        if (kind === 'Query') yield ApiQuery({ name: key, schema, required: !optional });
        else if (kind === 'Param' || kind === 'Id') yield ApiParam({ name: key, schema });
        else yield ApiHeader({ name: key, schema, required: !optional });
      }
    }
    for (const { name, description, schema } of facts.requestHeaders ?? []) yield ApiHeader({ name, description, schema, required: false });
  }

  *#queries(type: TsType, file: SourceFile): Iterable<MethodDecorator> {
    const { properties = {}, required = [] } = this.types.resolved(this.types.schemaOf(type, file));
    for (const [name, { description, ...schema }] of Object.entries(properties)) {
      if (Array.isArray(schema.type)) schema.type = schema.type.filter((one) => one !== 'null').join();
      yield ApiQuery({ name, description, schema: schema as object, required: required.includes(name) });
    }
  }

  *#answers(name: string, method: ClassMethod, file: SourceFile, handler: object, security: Security): Iterable<MethodDecorator> {
    const facts = operationFacts[name] ?? {};
    const content: Record<string, { schema: JsonSchema }> = {};
    const given = (Reflect.getMetadata(HEADERS_METADATA, handler) ?? []) as { name: string; value: string }[];
    const type = given.find((header) => header.name.toLowerCase() === 'content-type')?.value.split(';')[0];
    const answer = method.function.returnType && awaited(method.function.returnType.typeAnnotation);
    const answerSchema =
      type === undefined ? answer && this.types.schemaOf(answer, file) : { type: type === 'application/json' ? 'object' : 'string' };
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
    const { tags } = file.docsOf(method);
    yield ApiResponse({ status, description: returnedText(tags) ?? 'Answered.', headers, ...(answerSchema && { content }) });
    if (facts.cached) yield ApiResponse({ status: 304, description: 'The client has this version.', headers });
    const parameters = method.function.params.some((parameter) => /^(Param|Id)$/.test(sourceOf(parameter).kind ?? ''));
    const { generates = false, error } = facts;
    if (error) this.types.declare(...error);
    const refusable = { security, parameters, generates, anthropic: error !== undefined };
    for (const refusal of errorAnswers(tags['throws'] ?? [], refusable)) yield ApiResponse(refusal);
  }
}

/** One event of a stream; the last one is `[DONE]`. */
function eventSchema(type: string): JsonSchema {
  const chunk = { type: 'string', contentMediaType: 'application/json', contentSchema: refTo(type) };
  const data = { description: 'JSON, or `[DONE]` at the end.', anyOf: [{ const: '[DONE]' }, chunk] };
  return { type: 'object', description: 'Each event of the stream.', properties: { data }, required: ['data'] };
}

function returnedText(tags: Docs['tags']): string | undefined {
  const [text] = tags['returns'] ?? [];
  return text && `${text[0]!.toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
}

/** AccountKeys -> Account keys */
function words(name: string): string {
  const parts = name.replace(/^Admin(?=[A-Z])/, '').match(/[A-Z][a-z]*/g) ?? [name];
  return parts.map((part, index) => (index === 0 ? part : part.toLowerCase())).join(' ');
}

/** The decorator by which Nest fills a parameter, with the name that it is given. */
function sourceOf({ decorators = [] }: Param): { kind?: string; key?: string } {
  for (const { expression } of decorators) {
    if (expression.type !== 'CallExpression' || expression.callee.type !== 'Identifier') continue;
    const kind = expression.callee.value;
    if (!PARAMETER.test(kind)) continue;
    const first = expression.arguments[0]?.expression;
    return { kind, key: first?.type === 'StringLiteral' ? first.value : undefined };
  }
  return {};
}

function typeOf({ pat }: Param): { type?: TsType; optional: boolean } {
  const inner = pat.type === 'AssignmentPattern' ? pat.left : pat;
  const type = (inner as { typeAnnotation?: TsTypeAnnotation }).typeAnnotation?.typeAnnotation;
  const unions = type?.type === 'TsUnionType' ? type.types : [];
  const absent = unions.some((one) => one.type === 'TsKeywordType' && one.kind === 'undefined');
  const optional = absent || pat.type === 'AssignmentPattern' || (inner.type === 'Identifier' && inner.optional);
  return { type, optional };
}

/** What a handler answers in the end: what is in its Promise or its Observable, without the events of a stream. */
function awaited(type: TsType): TsType | undefined {
  if (type.type === 'TsUnionType') {
    return type.types.map(awaited).find((one) => one !== undefined);
  }
  if (type.type === 'TsKeywordType' && (type.kind === 'void' || type.kind === 'undefined')) return undefined;
  if (type.type !== 'TsTypeReference' || type.typeName.type !== 'Identifier') return type;
  const { value: name } = type.typeName;
  if (['Promise', 'Observable', 'WrittenJson'].includes(name)) return awaited(type.typeParams!.params[0]!);
  return name === 'StreamEvent' ? undefined : type;
}
