import type { Completion, CompletionChoice } from 'openai/resources/completions';
import { dataEvents, type End, envelopeCode, type Format, LIMIT } from './format.js';

const ends: Readonly<Record<CompletionChoice['finish_reason'], End>> = { stop: 'stop', length: 'length', content_filter: 'filter' };

export const completionsFormat: Format = {
  name: 'completions',
  path: 'completions',
  body: (model, { text, stop, limit = LIMIT }, stream) => ({ model, stream, prompt: text, max_tokens: limit, stop }),
  whole(body) {
    const { object, choices } = body as Completion;
    expect([object, choices.length]).toEqual(['text_completion', 1]);
    return { thought: '', text: choices[0]!.text, calls: [], end: ends[choices[0]!.finish_reason] };
  },
  streamed(text) {
    const { events, failed } = dataEvents(text);
    let [said, end] = ['', undefined as End | undefined];
    for (const { object, choices } of events as Completion[]) {
      expect(object).toBe('text_completion');
      for (const choice of choices) {
        if (end) throw new Error('a text comes behind the end');
        said += choice.text;
        // The official type does not tell that it is null before the end.
        end = choice.finish_reason ? ends[choice.finish_reason] : undefined;
      }
    }
    expect(end === undefined).toBe(failed);
    return { thought: '', text: said, calls: [], end: end ?? 'failed' };
  },
  code: envelopeCode,
};
