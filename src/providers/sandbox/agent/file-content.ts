import { isObject } from '../../../wire/json-object.js';

/** The content of a file in what a function has returned that reads files: all of it, or a member of its JSON. */
export function fileContent(result: string): string {
  if (!result.startsWith('{')) return result;
  try {
    const told: unknown = JSON.parse(result);
    const content = isObject(told) ? (told['content'] ?? told['contents'] ?? told['text'] ?? told['output'] ?? told['result']) : undefined;
    return typeof content === 'string' ? content : result;
  } catch {
    return result;
  }
}
