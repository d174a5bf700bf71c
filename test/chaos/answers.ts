export const PIECES = 60;

const chunk = (choices: object[], more: object = {}) =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...more })}\n\n`;
const piece = (i: number) => chunk([{ index: 0, delta: { content: `w${i} ` }, finish_reason: null }]);
const head = chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]);
const usage = { prompt_tokens: 10, completion_tokens: PIECES, total_tokens: 10 + PIECES };
const pieces = (count: number) => Array.from({ length: count }, (_, i) => piece(i)).join('');

export const text = Array.from({ length: PIECES }, (_, i) => `w${i} `).join('');
export const firstPieces = (count: number): string => head + pieces(count);
export const streamed = `${head}${pieces(PIECES)}${chunk([{ index: 0, delta: {}, finish_reason: 'stop' }])}${chunk([], { usage })}data: [DONE]\n\n`;
export const whole = JSON.stringify({
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
  usage,
});
/** Credits of one whole answer at 1 credit per 1,000 tokens of either kind. */
export const COST = (10 + PIECES) / 1000;
