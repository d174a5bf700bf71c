import type { Random } from '../torture/random.ts';

/** JSON of a chat request with these members beside the model's, as they are written. */
const body = (members: string, model = 'large'): Buffer => Buffer.from(`{"model":"${model}","max_tokens":5,${members}}`);
const greeting = '"messages":[{"role":"user","content":"Hello"}]';

/** The members of an object or the values of an array: as many as fill so many bytes. */
function filled(bytes: number, one: (index: number) => string): string {
  const pieces: string[] = [];
  let length = 0;
  for (let index = 0; length < bytes; index++) {
    const piece = one(index);
    pieces.push(piece);
    length += piece.length + 1;
  }
  return pieces.join(',');
}

/** Messages that one request may have. */
const MAX_MESSAGES = 9_900;

/** An ordinary conversation of messages that are as short as so many bytes allow. */
export function conversation(bytes: number): Buffer {
  const sentence = 'It is about as long as messages are. ';
  const text = sentence.repeat(Math.max(1, Math.ceil((bytes / MAX_MESSAGES - 50) / sentence.length)));
  const message = (index: number) => JSON.stringify({ role: index % 2 === 0 ? 'user' : 'assistant', content: `Message ${index}. ${text}` });
  return body(`"messages":[${filled(bytes, message)}]`);
}

/** What hostile bodies are made of: each gives about so many bytes of members. */
const kinds: Readonly<Record<string, (bytes: number, random: Random) => string>> = {
  'members before long strings': (bytes) =>
    `${filled(bytes * 0.9, (index) => `"z${index}":[]`)},"messages":[{"role":"user","content":"${'x'.repeat(Math.floor(bytes * 0.1))}"}]`,
  'unknown names': (bytes) => `${filled(bytes, (index) => `"n${index}":0`)},${greeting}`,
  'members of one object': (bytes) => `"metadata":{${filled(bytes, (index) => `"n${index}":0`)}},${greeting}`,
  'empty arrays': (bytes) => `"stop":[${filled(bytes, () => '[]')}],${greeting}`,
  'empty objects as messages': (bytes) => `"messages":[${filled(bytes, () => '{}')}]`,
  'one name again and again': (bytes) => `${filled(bytes, () => '"user":"a"')},${greeting}`,
  'escapes in a text': (bytes) => `"messages":[{"role":"user","content":"${'\\u0041'.repeat(Math.floor(bytes / 6))}"}]`,
  'escapes in names': (bytes) => `${filled(bytes, (index) => `"\\u006e${index}":0`)},${greeting}`,
  numbers: (bytes) => `"logit_bias":{${filled(bytes, (index) => `"${index}":1e-${index % 300}`)}},${greeting}`,
  'tiny parts': (bytes) => `"messages":[{"role":"user","content":[${filled(bytes, () => '{"type":"text","text":"a"}')}]}]`,
  'tool calls of nothing': (bytes) =>
    `"messages":[{"role":"assistant","tool_calls":[${filled(bytes, (index) => `{"id":"${index}","type":"function","function":{"name":"f","arguments":""}}`)}]}]`,
  'stop words': (bytes) => `"stop":[${filled(bytes, (index) => `"s${index}"`)}],${greeting}`,
  'nested arrays': (bytes) => `"metadata":${'['.repeat(Math.floor(bytes / 2))}${']'.repeat(Math.floor(bytes / 2))},${greeting}`,
  'shallow nests': (bytes) => `"metadata":[${filled(bytes, () => '[[[[{"a":[[{}]]}]]]]')}],${greeting}`,
  'white space': (bytes) => `"messages":[{"role":"user",${' \n'.repeat(Math.floor(bytes / 2))}"content":"Hello"}]`,
  'a string that never ends': (bytes) => `"messages":[{"role":"user","content":"${'\\"'.repeat(Math.floor(bytes / 2))}`,
  schemas: (bytes) =>
    `"tools":[{"type":"function","function":{"name":"f","parameters":{"properties":{${filled(bytes, (index) => `"p${index}":{"type":"string"}`)}}}}}],${greeting}`,
  'texts and members in turn': (bytes, random) =>
    `${filled(bytes, (index) => (random.next() < 0.5 ? `"n${index}":"${'y'.repeat(random.between(0, 200))}"` : `"m${index}":{"a":[${index},null]}`))},${greeting}`,
};

export const bodyKinds = Object.keys(kinds);

export function hostileBody(kind: string, bytes: number, random: Random): Buffer {
  return body(kinds[kind]!(bytes, random));
}

/** A body made of several kinds of hostility, in an order and in sizes that nobody has thought of. */
export function generatedBody(random: Random): { readonly what: string; readonly bytes: Buffer } {
  const chosen = random.shuffled(bodyKinds).slice(0, random.between(1, 3));
  const size = random.between(100_000, 6_000_000);
  const members = chosen.map((kind) => kinds[kind]!(size / chosen.length, random));
  return { what: `${chosen.join(' + ')}, ${(size / 1e6).toFixed(1)} MB`, bytes: body(members.join(',')) };
}

/** What is legitimate, and large. */
export const legitimate: Readonly<Record<string, () => Buffer>> = {
  '10 MB in 10,000 messages of mixed parts': () => {
    const parts = (index: number) => [
      { type: 'text', text: `Part one of message ${index}. ${'It says what people say. '.repeat(20)}` },
      { type: 'text', text: `Part two. ${'And some more of it. '.repeat(18)}` },
    ];
    const message = (index: number) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: index % 3 === 0 ? parts(index) : 'And so on. '.repeat(90),
    });
    return Buffer.from(
      JSON.stringify({ model: 'large', max_tokens: 5, messages: Array.from({ length: 10_000 }, (_, index) => message(index)) }),
    );
  },
  '1,024 tools with real schemas': () => {
    const tool = (index: number) => ({
      type: 'function',
      function: {
        name: `tool_${index}`,
        description: 'Finds what there is to find in a place and a time, and sorts it.',
        parameters: {
          type: 'object',
          properties: {
            place: { type: 'string', description: 'Where' },
            from: { type: 'string', format: 'date-time' },
            unit: { type: 'string', enum: ['metric', 'imperial'] },
            filters: {
              type: 'array',
              items: { type: 'object', properties: { name: { type: 'string' }, value: { type: 'number' } }, required: ['name'] },
            },
          },
          required: ['place'],
        },
      },
    });
    return Buffer.from(
      JSON.stringify({
        model: 'large',
        max_tokens: 5,
        messages: [{ role: 'user', content: 'Hello' }],
        tools: Array.from({ length: 1024 }, (_, index) => tool(index)),
      }),
    );
  },
  '32 MB of one document': () =>
    body(`"messages":[{"role":"user","content":"${'A document of many words, and nothing else. '.repeat(Math.floor(32e6 / 44))}"}]`),
};

/** A request in HTTP chunks of one byte. */
export function oneByteChunks(host: string, key: string, payload: Buffer): Buffer {
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), chunksOfOneByte(payload), Buffer.from('0\r\n\r\n')]);
}

export function chunksOfOneByte(payload: Buffer): Buffer {
  const chunks = Buffer.alloc(payload.length * 6, '1\r\nx\r\n');
  for (let index = 0; index < payload.length; index++) chunks[index * 6 + 3] = payload[index]!;
  return chunks;
}
