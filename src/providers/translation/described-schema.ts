import { copyMember, copyMembers, hasSomeText } from '../../wire/members.js';
import type { ResponseFormat } from '../../wire/chat-completion.js';
import type { JsonObject } from '../../wire/json-object.js';

/** The schema of an answer, undefined where there is none. It has its description itself, as other formats have it. */
export function describedSchema(format: ResponseFormat): JsonObject | undefined {
  if (format.type !== 'json_schema') return undefined;
  const { schema } = format.json_schema;
  if (!schema || !hasSomeText(format.json_schema, 'description')) return schema;
  const described = {};
  copyMember(format.json_schema, 'description', described);
  return copyMembers(schema, described);
}
