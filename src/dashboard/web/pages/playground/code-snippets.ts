import type { Snippet } from '../../ui/snippets';
import type { Mode } from './conversation';

/** Characters of an image from which on a name stands in its place. */
const MAX_IMAGE = 4_000;

/** What stands in the place of an image that is too long to be read. */
export const IMAGE_PLACE = 'YOUR_IMAGE_AS_DATA_URL';

interface Target {
  readonly baseUrl: string;
  readonly key: string;
  readonly streamed: boolean;
}

/** A request as programs send it. */
export function snippetsOf(request: object, mode: Mode, { baseUrl, key, streamed }: Target): Snippet[] {
  const body = streamed ? { ...withoutLongImages(request), stream: true } : withoutLongImages(request);
  const chat = mode === 'chat';
  const method = chat ? 'chat.completions.create' : 'completions.create';
  const whole = !chat ? '.text' : 'tools' in body ? '.message' : '.message.content';
  const piece = chat ? '.delta.content' : '.text';
  const inQuotes = JSON.stringify(body, null, 2).replaceAll("'", String.raw`'\''`);
  return [
    {
      id: 'curl',
      label: 'curl',
      code: `curl ${streamed ? '-N ' : ''}${baseUrl}/${chat ? 'chat/completions' : 'completions'} \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '${inQuotes}'`,
    },
    {
      id: 'python',
      label: 'Python',
      code: `# pip install openai
from openai import OpenAI

client = OpenAI(base_url="${baseUrl}", api_key="${key}")

answer = client.${method}(
${Object.entries(body)
  .map(([name, value]) => `    ${name}=${pythonOf(value, '    ')},\n`)
  .join('')})
${
  streamed
    ? `for chunk in answer:
    if chunk.choices:
        print(chunk.choices[0]${piece} or "", end="", flush=True)`
    : `print(answer.choices[0]${whole})`
}`,
    },
    {
      id: 'javascript',
      label: 'JavaScript',
      code: `// npm install openai
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${baseUrl}', apiKey: '${key}' });

const answer = await client.${method}(${javaScriptOf(body, '')});
${
  streamed
    ? `for await (const chunk of answer) process.stdout.write(chunk.choices[0]?${piece} ?? '');`
    : `console.log(answer.choices[0]${whole});`
}`,
    },
  ];
}

function withoutLongImages<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (_name, inner: unknown) =>
      typeof inner === 'string' && inner.length > MAX_IMAGE && inner.startsWith('data:image/') ? IMAGE_PLACE : inner,
    ),
  ) as T;
}

function pythonOf(value: unknown, indent: string): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return literalOf(value, indent, pythonOf, (name) => JSON.stringify(name));
}

function javaScriptOf(value: unknown, indent: string): string {
  return literalOf(value, indent, javaScriptOf, (name) => (/^[a-z_$][\w$]*$/i.test(name) ? name : JSON.stringify(name)));
}

/** A list or an object over several lines; what is in them, and all else, is as JSON has it. */
function literalOf(
  value: unknown,
  indent: string,
  inner: (value: unknown, indent: string) => string,
  nameOf: (name: string) => string,
): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const deeper = `${indent}  `;
  const lines = isList
    ? value.map((one) => inner(one, deeper))
    : Object.entries(value).map(([name, one]) => `${nameOf(name)}: ${inner(one, deeper)}`);
  const [open, close] = isList ? '[]' : '{}';
  return lines.length === 0 ? `${open}${close}` : `${open}\n${lines.map((line) => `${deeper}${line},\n`).join('')}${indent}${close}`;
}
