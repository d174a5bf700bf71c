export const PIECES = 60;
export const PROMPT_TOKENS = 10;

const chunk = (choices: object[], more: object = {}) =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...more })}\n\n`;
const piece = (i: number) => chunk([{ index: 0, delta: { content: `w${i} ` }, finish_reason: null }]);
const head = chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]);
const usageOf = (completion_tokens: number) => ({
  prompt_tokens: PROMPT_TOKENS,
  completion_tokens,
  total_tokens: PROMPT_TOKENS + completion_tokens,
});
const pieces = (count: number) => Array.from({ length: count }, (_, i) => piece(i)).join('');

/** What `count` pieces say. */
export const textOf = (count: number): string => Array.from({ length: count }, (_, i) => `w${i} `).join('');
/** A stream's beginning: each piece is a token. */
export const firstPieces = (count: number): string => head + pieces(count);
export const streamedPieces = (count: number, finish_reason = 'stop', hidden = 0): string =>
  `${firstPieces(count)}${chunk([{ index: 0, delta: {}, finish_reason }])}${chunk([], { usage: usageOf(count + hidden) })}data: [DONE]\n\n`;
export const wholePieces = (count: number, finish_reason = 'stop', hidden = 0): string =>
  JSON.stringify({
    id: 'x',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: textOf(count) }, finish_reason }],
    usage: usageOf(count + hidden),
  });

export const text = textOf(PIECES);
export const streamed = streamedPieces(PIECES);
export const whole = wholePieces(PIECES);
/** Credits of one whole answer at 1 credit per 1,000 tokens of either kind. */
export const COST = (PROMPT_TOKENS + PIECES) / 1000;
