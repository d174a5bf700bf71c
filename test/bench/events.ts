/** What the loopback provider says in the formats that it speaks. */
export interface Format {
  /** An answer that is not streamed, about 1 KB. */
  readonly whole: string;
  /** Events of a stream before its pieces. */
  readonly begin: string;
  /** One event with `text`. Events of one stream are numbered from 0. */
  readonly piece: (text: string, number: number) => string;
  readonly end: (pieces: number) => string;
}

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const named = (type: string, more: object = {}): string => `event: ${type}\n${data({ type, ...more })}`;
const text = 'An answer of some length. '.repeat(28);

const envelope = (object: string) => ({ id: 'chatcmpl-bench', object, created: 1_700_000_000, model: 'bench' });
const usage = (completion_tokens: number) => ({ prompt_tokens: 200, completion_tokens, total_tokens: 200 + completion_tokens });

/** @param details of the usage */
function compatible(event: (number: number) => object, details: object = {}): Format {
  const chunk = (number: number, delta: object, finish_reason: string | null = null): string =>
    data({ ...event(number), choices: [{ index: 0, delta, logprobs: null, finish_reason }] });
  return {
    whole: JSON.stringify({
      ...envelope('chat.completion'),
      choices: [{ index: 0, message: { role: 'assistant', content: text, refusal: null }, logprobs: null, finish_reason: 'stop' }],
      usage: { ...usage(150), ...details },
    }),
    begin: chunk(0, { role: 'assistant', content: '' }),
    piece: (content, number) => chunk(number, { content }),
    end: (pieces) =>
      `${chunk(0, {}, 'stop')}${data({ ...event(0), choices: [], usage: { ...usage(pieces), ...details } })}data: [DONE]\n\n`,
  };
}

const anthropic: Format = {
  whole: JSON.stringify({
    id: 'msg_bench',
    type: 'message',
    role: 'assistant',
    model: 'bench',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 200, output_tokens: 150 },
  }),
  begin:
    named('message_start', {
      message: {
        id: 'msg_bench',
        type: 'message',
        role: 'assistant',
        model: 'bench',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 200, output_tokens: 1 },
      },
    }) +
    named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }) +
    named('ping'),
  piece: (piece) => named('content_block_delta', { index: 0, delta: { type: 'text_delta', text: piece } }),
  end: (output_tokens) =>
    named('content_block_stop', { index: 0 }) +
    named('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens } }) +
    named('message_stop'),
};

const gemini: Format = (() => {
  const answer = (words: string, candidatesTokenCount: number, finishReason?: string) => ({
    candidates: [{ content: { parts: [{ text: words }], role: 'model' }, finishReason, index: 0 }],
    usageMetadata: {
      promptTokenCount: 200,
      candidatesTokenCount,
      totalTokenCount: 200 + candidatesTokenCount,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: 200 }],
    },
    modelVersion: 'bench',
    responseId: 'bench-response',
  });
  const event = (value: object): string => `data: ${JSON.stringify(value)}\r\n\r\n`;
  return {
    whole: JSON.stringify(answer(text, 150, 'STOP')),
    begin: '',
    piece: (piece: string, number: number) => event(answer(piece, number + 1)),
    end: (pieces: number) => event(answer('.', pieces, 'STOP')),
  };
})();

const sameEnvelope = envelope('chat.completion.chunk');

/** Inputs of the requests for embeddings, and numbers of each embedding. */
export const INPUTS = [1, 100] as const;
export const DIMENSIONS = 1_536;

const base64 = Buffer.from(Float32Array.from({ length: DIMENSIONS }, (_, at) => Math.sin(at) / 39).buffer).toString('base64');

/** Whole answers: embeddings in base64, and chats with a text as long. */
export const answersOf: Readonly<Record<string, string>> = Object.fromEntries(
  INPUTS.flatMap((inputs) => [
    [
      `embeddings-${inputs}`,
      JSON.stringify({
        object: 'list',
        data: Array.from({ length: inputs }, (_, index) => ({ object: 'embedding', index, embedding: base64 })),
        model: 'bench',
        usage: { prompt_tokens: 150 * inputs, total_tokens: 150 * inputs },
      }),
    ],
    [
      `answers-${inputs}`,
      JSON.stringify({
        ...envelope('chat.completion'),
        choices: [{ index: 0, message: { role: 'assistant', content: base64.repeat(inputs) }, finish_reason: 'stop' }],
        usage: usage(150 * inputs),
      }),
    ],
  ]),
);

/** By the first word of the path. */
export const formats: Readonly<Record<string, Format>> = {
  v1: compatible(() => sameEnvelope),
  /** With the parts of prompt and completion that have prices of their own. */
  cached: compatible(() => sameEnvelope, {
    prompt_tokens_details: { cached_tokens: 150 },
    completion_tokens_details: { reasoning_tokens: 50 },
  }),
  /** Each event with an id of its own: no two differ in their text alone. */
  ids: compatible((number) => ({ ...sameEnvelope, id: `chatcmpl-${number}` })),
  anthropic,
  gemini,
  ...Object.fromEntries(Object.entries(answersOf).map(([name, whole]) => [name, { ...compatible(() => sameEnvelope), whole }])),
};
