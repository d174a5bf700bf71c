import type * as bedrock from '@aws-sdk/client-bedrock-runtime';
import { block, frame, streamOf } from '../../src/providers/bedrock/testing/frames.js';
import { askedOf, eventsOf, messageOf } from './anthropic-vendor.js';
import { type Answer, json, piecesOf, type Vendor } from './vendor.js';

const model = 'anthropic.claude-haiku-4-5-20251001-v1:0';
const frames = { 'content-type': 'application/vnd.amazon.eventstream' };
const usage = { inputTokens: 20, outputTokens: 10, totalTokens: 30 };
const signature = 'c2lnbmVk';

/** The members of the JSON, in which bytes are base64. */
interface Body {
  messages: { role: string; content: Block[] }[];
  inferenceConfig?: bedrock.InferenceConfiguration;
  toolConfig?: { tools: { toolSpec: { name: string; inputSchema: { json: unknown } } }[] };
  outputConfig?: { textFormat?: { structure?: { jsonSchema?: { schema: string } } } };
}

interface Block {
  image?: { source: { bytes: string } };
  toolUse?: { toolUseId: string; name: string; input: object };
  toolResult?: { toolUseId: string; content: { text?: string; json?: unknown }[] };
}

function stopReason({ calls, end }: Answer): string {
  if (end) return end === 'length' ? 'max_tokens' : 'guardrail_intervened';
  return calls ? 'tool_use' : 'end_turn';
}

function whole(answer: Answer): string {
  const { thought, text, calls = [] } = answer;
  const content = [
    ...(thought === undefined ? [] : [{ reasoningContent: { reasoningText: { text: thought, signature } } }]),
    ...(text === undefined ? [] : [{ text }]),
    ...calls.map(({ id, name, arguments: input }) => ({ toolUse: { toolUseId: id, name, input } })),
  ];
  return JSON.stringify({ output: { message: { role: 'assistant', content } }, stopReason: stopReason(answer), usage });
}

function streamed(answer: Answer): Buffer {
  const { thought, text, calls = [] } = answer;
  let index = 0;
  const events = [
    ...(thought === undefined
      ? []
      : block(index++, [
          ...piecesOf(thought).map((piece) => ({ reasoningContent: { text: piece } })),
          { reasoningContent: { signature } },
        ])),
    ...(text === undefined
      ? []
      : block(
          index++,
          piecesOf(text).map((piece) => ({ text: piece })),
        )),
    ...calls.flatMap(({ id, name, arguments: input }) =>
      block(
        index++,
        piecesOf(JSON.stringify(input)).map((piece) => ({ toolUse: { input: piece } })),
        { toolUse: { toolUseId: id, name } },
      ),
    ),
  ];
  return streamOf(events, stopReason(answer), { usage });
}

/** The events of Anthropic's format, each in a frame. */
function invoked(answer: Answer): Buffer {
  const bytes = (event: object): string => Buffer.from(JSON.stringify(event)).toString('base64');
  return Buffer.concat(eventsOf(answer).map((event) => frame('chunk', { bytes: bytes(event) })));
}

export const bedrockVendor: Vendor<string | Buffer> = {
  name: 'Bedrock',
  model,
  provider: (origin) => ({
    type: 'bedrock',
    base_url: origin,
    api_key: 'key-bedrock',
    options: { region: 'eu-central-1' },
    free: true,
    models: { [model]: {} },
  }),
  answer: (answer, stream) => (stream ? { headers: frames, body: streamed(answer) } : { headers: json, body: whole(answer) }),
  messages: (answer, stream) =>
    stream ? { headers: frames, body: invoked(answer) } : { headers: json, body: JSON.stringify(messageOf(answer)) },
  asked({ path, body }) {
    expect(path).toMatch(/^\/model\/anthropic.claude-haiku-4-5-20251001-v1(:|%3A)0\/(converse(-stream)?|invoke(-with-response-stream)?)$/);
    if (path.includes('/invoke')) return { ...askedOf(body), stream: path.endsWith('-stream') };
    const { messages, toolConfig, inferenceConfig, outputConfig } = JSON.parse(body) as Body;
    const blocks = messages.flatMap(({ content }) => content);
    const schema = outputConfig?.textFormat?.structure?.jsonSchema?.schema;
    return {
      stream: path.endsWith('converse-stream'),
      tools: (toolConfig?.tools ?? []).map(({ toolSpec: { name, inputSchema } }) => ({ name, parameters: inputSchema.json })),
      calls: blocks.flatMap(({ toolUse }) => (toolUse ? [{ id: toolUse.toolUseId, name: toolUse.name, arguments: toolUse.input }] : [])),
      results: blocks.flatMap(({ toolResult }) =>
        toolResult
          ? [{ id: toolResult.toolUseId, value: toolResult.content[0]!.json ?? (JSON.parse(toolResult.content[0]!.text!) as unknown) }]
          : [],
      ),
      schema: schema === undefined ? undefined : (JSON.parse(schema) as object),
      stop: inferenceConfig?.stopSequences ?? [],
      images: blocks.flatMap(({ image }) => (image ? [image.source.bytes] : [])),
    };
  },
};
