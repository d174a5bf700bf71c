import type { OpenAPIObject } from '@nestjs/swagger';
import type { JsonSchema } from './json-schema.js';

interface Operation {
  parameters?: { name: string; in: string; required?: boolean; schema?: JsonSchema }[];
  requestBody?: { content: Content };
  responses: Record<string, { description?: string; content?: Content }>;
}

type Content = Record<string, { schema?: JsonSchema }>;

/**
 * Writes a document as the types that `openapi-fetch` reads: `paths` and `components`. The generator of that project
 * does not run beside TypeScript 7.
 * @returns the text of a declaration file
 */
export function clientTypes({ paths, components }: OpenAPIObject): string {
  const schemas = Object.entries((components?.schemas ?? {}) as Record<string, JsonSchema>);
  const operations = Object.entries(paths).map(
    ([path, methods]) =>
      `  ${JSON.stringify(path)}: {\n${Object.entries(methods as Record<string, Operation>)
        .map(([method, operation]) => `    ${method}: ${operationType(operation)};`)
        .join('\n')}\n  };`,
  );
  return [
    '// Made by npm run build from the description of the administration API.',
    `export interface components {\n  schemas: {\n${schemas.map(([name, schema]) => `    ${name}: ${typeOf(schema)};`).join('\n')}\n  };\n}`,
    `export interface paths {\n${operations.join('\n')}\n}`,
    '',
  ].join('\n');
}

function operationType({ parameters = [], requestBody, responses }: Operation): string {
  const kinds = ['path', 'query', 'header'].map((kind) => {
    const fields = parameters
      .filter((parameter) => parameter.in === kind)
      .map(({ name, required, schema }) => `${JSON.stringify(name)}${required ? '' : '?'}: ${typeOf(schema)}`);
    const needed = parameters.some((parameter) => parameter.in === kind && parameter.required);
    return fields.length === 0 ? `${kind}?: never` : `${kind}${needed ? '' : '?'}: { ${fields.join('; ')} }`;
  });
  const body = requestBody ? `requestBody: { content: ${contentType(requestBody.content)} }` : 'requestBody?: never';
  const answers = Object.entries(responses)
    .filter(([status]) => Number(status) < 400)
    .map(([status, { content }]) => `${status}: { headers: object; content${content ? `: ${contentType(content)}` : '?: never'} }`);
  answers.push("default: { headers: object; content: { 'application/json': components['schemas']['ErrorBody'] } }");
  return `{ parameters: { ${kinds.join('; ')} }; ${body}; responses: { ${answers.join('; ')} } }`;
}

function contentType(content: Content): string {
  return `{ ${Object.entries(content)
    .map(([type, { schema }]) => `${JSON.stringify(type)}: ${typeOf(schema)}`)
    .join('; ')} }`;
}

/** The type of what a schema allows; bounds of numbers and texts are no types. */
function typeOf(schema: JsonSchema | undefined): string {
  if (!schema) return 'unknown';
  if (schema.$ref) return `components['schemas'][${JSON.stringify(schema.$ref.split('/').at(-1))}]`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf) return schema.anyOf.map((one) => `(${typeOf(one)})`).join(' | ');
  if (schema.allOf) return schema.allOf.map((one) => `(${typeOf(one)})`).join(' & ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => `(${typeOf({ ...schema, type })})`).join(' | ');
  if (schema.type === 'array') return `(${typeOf(schema.items)})[]`;
  if (schema.type === 'object') return objectType(schema);
  if (schema.type === 'integer') return 'number';
  return schema.type ?? 'unknown';
}

function objectType({ properties, required = [], additionalProperties }: JsonSchema): string {
  if (!properties) return `Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'}>`;
  const fields = Object.entries(properties).map(([name, schema]) => {
    const about = schema.description === undefined ? '' : `/** ${schema.description.replaceAll('*/', '*\\/')} */ `;
    return `${about}${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`;
  });
  return `{ ${fields.join('; ')} }`;
}
