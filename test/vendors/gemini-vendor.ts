import type * as google from '@google/genai';
import { type Answer, json, piecesOf, sse, type Vendor } from './vendor.js';

const model = 'gemini-3.8-flash';

interface Body {
  contents: google.Content[];
  tools?: { functionDeclarations: google.FunctionDeclaration[] }[];
  generationConfig?: { responseMimeType?: string; responseJsonSchema?: object; stopSequences?: string[] };
}

const signature = 'EoQBCoEBAXLI2nzBmaXh0dXJlLXNpZ25hdHVyZS1vZi1hLWNhbGw=';

function event(parts: object[], finishReason?: string): object {
  return {
    candidates: [{ content: { parts, role: 'model' }, finishReason, index: 0 }],
    usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 10, totalTokenCount: 30 },
    modelVersion: model,
    responseId: 'loopback',
  };
}

/** Arguments are never in pieces; the first call of a turn carries the turn's signature. */
function partsOf({ thought = '', text = '', calls = [] }: Answer): object[] {
  return [
    ...piecesOf(thought).map((piece) => ({ text: piece, thought: true })),
    ...piecesOf(text).map((piece) => ({ text: piece })),
    ...calls.map(({ id, name, arguments: args }, index) => ({
      functionCall: { name, args, id },
      ...(index === 0 ? { thoughtSignature: signature } : {}),
    })),
  ];
}

function endWord({ end }: Answer): string {
  return end === 'length' ? 'MAX_TOKENS' : end === 'refused' ? 'SAFETY' : 'STOP';
}

function streamed(answer: Answer): string {
  const events = [...partsOf(answer).map((part) => event([part])), event([{ text: '' }], endWord(answer))];
  return events.map((one) => `data: ${JSON.stringify(one)}\r\n\r\n`).join('');
}

export const geminiVendor: Vendor = {
  name: 'Gemini',
  model,
  provider: (origin) => ({ type: 'gemini', base_url: `${origin}/v1beta`, api_key: 'AIzaLoopback', free: true, models: { [model]: {} } }),
  answer: (answer, stream) =>
    stream ? { headers: sse, body: streamed(answer) } : { headers: json, body: JSON.stringify(event(partsOf(answer), endWord(answer))) },
  asked({ path, headers, body }) {
    const stream = path === `/v1beta/models/${model}:streamGenerateContent?alt=sse`;
    if (!stream) expect(path).toBe(`/v1beta/models/${model}:generateContent`);
    expect(headers).toMatchObject({ 'x-goog-api-key': 'AIzaLoopback' });
    const { contents, tools = [], generationConfig: config } = JSON.parse(body) as Body;
    // The vendor demands that turns alternate, and as many results in a turn as there were calls in the one before.
    expect(contents.map(({ role }) => role)).toEqual(contents.map((_, index) => (index % 2 === 0 ? 'user' : 'model')));
    const parts = contents.flatMap(({ parts: own = [] }) => own);
    const calls = parts.filter((part) => part.functionCall);
    // Without one, Gemini 3 refuses the turn.
    if (calls.length > 0) expect(calls[0]?.thoughtSignature).toEqual(expect.any(String));
    if (config?.responseJsonSchema) expect(config.responseMimeType).toBe('application/json');
    return {
      stream,
      tools: tools
        .flatMap(({ functionDeclarations }) => functionDeclarations)
        .map(({ name, parametersJsonSchema }) => ({ name: name!, parameters: parametersJsonSchema })),
      calls: calls.map(({ functionCall }) => ({ id: functionCall!.id!, name: functionCall!.name!, arguments: functionCall!.args! })),
      results: parts
        .filter((part) => part.functionResponse)
        .map(({ functionResponse }) => ({ id: functionResponse!.id!, value: functionResponse!.response })),
      schema: config?.responseJsonSchema,
      stop: config?.stopSequences ?? [],
      images: parts.flatMap(({ inlineData }) => (inlineData ? [inlineData.data!] : [])),
    };
  },
};
