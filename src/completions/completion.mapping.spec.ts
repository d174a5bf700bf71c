import fc from 'fast-check';
import type { GenerationChoice, GenerationChunk } from '../wire/generation.js';
import { usageOf } from '../wire/usage.js';
import { completion, completionPlan, completionRequests } from './completion.mapping.js';
import { CreateCompletionDto } from './create-completion.dto.js';
import { payloadsOf } from '../http/answers/testing/payloads-of.js';
import type { Completion } from '../wire/completion.js';
import { CompletionEvents } from './completion-events.js';
import { asByteText } from '../wire/byte-text.js';

const envelope = { id: 'cmpl-1', created: 7, model: 'm' };
const body = (fields: Partial<CreateCompletionDto>): CreateCompletionDto =>
  Object.assign(new CreateCompletionDto(), { model: 'm', prompt: 'Once' }, fields);

const requestsOf = (fields: Partial<CreateCompletionDto>): ReturnType<typeof completionRequests> =>
  completionRequests(body(fields), completionPlan(body(fields)));

/** One token a character, all as likely as `logprob` says. */
const choiceOf = (index: number, text: string, logprob: number): GenerationChoice => ({
  index,
  text,
  logprobs: {
    tokens: text.split(''),
    token_logprobs: text.split('').map(() => logprob),
    top_logprobs: null,
    text_offset: text.split('').map((_, offset) => offset),
  },
  finish_reason: 'stop',
});

const answerOf = (fields: Partial<CreateCompletionDto>, choices: GenerationChoice[], ranking: 'lowest' | 'highest' = 'lowest') =>
  completion(envelope, { choices, usage: usageOf(1, 2) }, completionPlan(body(fields)), ranking);

describe('completionRequests', () => {
  it('is the body with its defaults', () => {
    expect(requestsOf({ suffix: '', echo: false, best_of: 1 })).toEqual([
      { operation: 'completion', model: 'm', prompt: 'Once', n: 1, stream: false },
    ]);
  });

  it('is one request for each prompt, with the same parameters', () => {
    const fields = { n: 2, suffix: 'end', echo: true, logprobs: 3, temperature: 0, max_tokens: 0, stop: 'x', extra: { top_k: 1 } };
    const [first, second, ...more] = requestsOf({ ...fields, prompt: ['a', 'b'] });
    expect(more).toEqual([]);
    expect(first).toMatchObject({ ...fields, stop: ['x'], prompt: 'a' });
    expect(second).toEqual({ ...first, prompt: 'b' });
  });

  it('asks for best_of choices with the log probabilities that rank them', () => {
    expect(requestsOf({ best_of: 4, n: 2 })[0]).toMatchObject({ n: 4, logprobs: 1 });
    expect(requestsOf({ best_of: 4, logprobs: 2 })[0]).toMatchObject({ n: 4, logprobs: 2 });
    expect(requestsOf({ n: 2 })[0]).toMatchObject({ n: 2, logprobs: undefined });
  });

  it('does not ask for echo where only the ranking needs log probabilities', () => {
    expect(requestsOf({ best_of: 2, echo: true })[0].echo).toBeUndefined();
    expect(requestsOf({ best_of: 2, echo: true, logprobs: 0 })[0].echo).toBe(true);
    expect(requestsOf({ echo: true })[0].echo).toBe(true);
  });
});

describe('completion', () => {
  it('has the envelope, choices with fields in the order of the specification, and usage', () => {
    const answer = answerOf({}, [{ index: 0, text: ' upon', logprobs: null, finish_reason: 'length' }]);
    expect(answer).toStrictEqual({
      id: 'cmpl-1',
      object: 'text_completion',
      created: 7,
      model: 'm',
      choices: [{ text: ' upon', index: 0, logprobs: null, finish_reason: 'length' }],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    });
  });

  it('shows log probabilities only where they were asked for', () => {
    const choice = choiceOf(0, 'ab', -1);
    expect(answerOf({ logprobs: 1 }, [choice]).choices[0]!.logprobs).toEqual(choice.logprobs);
    expect(answerOf({}, [choice]).choices[0]!.logprobs).toBeNull();
    expect(answerOf({ best_of: 2 }, [choice, choiceOf(1, 'c', -1)]).choices[0]!.logprobs).toBeNull();
  });

  it('has the own entry of each token where no alternatives were asked for', () => {
    const logprobs = { tokens: ['a', 'b'], token_logprobs: [null, -1], top_logprobs: [null, { b: -1, c: -2 }], text_offset: [0, 1] };
    for (const top_logprobs of [logprobs.top_logprobs, [null, {}], null]) {
      const choice = { ...choiceOf(0, 'ab', -1), logprobs: { ...logprobs, top_logprobs } };
      expect(answerOf({ logprobs: 0 }, [choice]).choices[0]!.logprobs).toEqual({ ...logprobs, top_logprobs: [null, { b: -1 }] });
    }
  });

  it('returns the least likely choices, or with the setting the most likely', () => {
    const choices = [choiceOf(0, 'aaaa', -1), choiceOf(1, 'b', -3), choiceOf(2, 'cc', -2)];
    const texts = (n: number, ranking: 'lowest' | 'highest') =>
      answerOf({ best_of: 3, n }, choices, ranking).choices.map(({ text }) => text);
    expect(texts(1, 'lowest')).toEqual(['b']);
    expect(texts(2, 'lowest')).toEqual(['b', 'cc']);
    expect(texts(1, 'highest')).toEqual(['aaaa']);
    expect(texts(2, 'highest')).toEqual(['aaaa', 'cc']);
  });

  it('leaves an echoed prompt out of the ranking', () => {
    const echoed = (index: number, text: string, logprobs: number[]): GenerationChoice => ({
      index,
      text: `Once${text}`,
      logprobs: {
        tokens: ['Once', ...text.split('')],
        token_logprobs: [-20, ...logprobs],
        top_logprobs: null,
        text_offset: [0, ...text.split('').map((_, at) => 4 + at)],
      },
      finish_reason: 'stop',
    });
    const choices = [echoed(0, 'a', [-1]), echoed(1, 'bbbb', [-2, -2, -2, -2])];
    expect(answerOf({ best_of: 2, echo: true, logprobs: 0 }, choices).choices[0]!.text).toBe('Oncebbbb');
  });

  it('adds the prompt itself where inference was not asked to echo', () => {
    const choices = [choiceOf(0, 'a', -1), choiceOf(1, 'b', -2), choiceOf(2, 'c', -1), choiceOf(3, 'd', -2)];
    const texts = answerOf({ prompt: ['x', 'y'], best_of: 2, echo: true }, choices).choices.map(({ text }) => text);
    expect(texts).toEqual(['xb', 'yd']);
  });

  it('refuses to rank choices without log probabilities', () => {
    const choices = [choiceOf(0, 'a', -1), { index: 1, text: 'b', logprobs: null, finish_reason: 'stop' as const }];
    expect(() => answerOf({ best_of: 2 }, choices)).toThrow(expect.objectContaining({ code: 'upstream_error' }));
    expect(answerOf({ best_of: 2 }, [choices[0]!, { ...choices[1]!, text: '' }]).choices[0]!.text).toBe('a');
  });

  it('indexes n choices for each prompt in turn, whatever best_of is', () => {
    const counts = fc.record({ prompts: fc.integer({ min: 1, max: 4 }), n: fc.integer({ min: 1, max: 4 }), more: fc.nat(3) });
    fc.assert(
      fc.property(counts, fc.infiniteStream(fc.double({ min: -9, max: 0, noNaN: true })), ({ prompts, n, more }, logprobs) => {
        const generated = n + more;
        const fields = { prompt: Array.from({ length: prompts }, (_, at) => `p${at}`), n, best_of: more ? generated : undefined };
        const choices = Array.from({ length: prompts * generated }, (_, index) =>
          choiceOf(index, `${Math.floor(index / generated)}:${index}`, logprobs.next().value),
        );
        const answer = answerOf(fields, choices);
        expect(answer.choices.map(({ index }) => index)).toEqual(Array.from({ length: prompts * n }, (_, index) => index));
        for (const { text, index } of answer.choices) expect(Number(text.split(':')[0])).toBe(Math.floor(index / n));
        expect(new Set(answer.choices.map(({ text }) => text)).size).toBe(prompts * n);
      }),
    );
  });
});

function eventsOf(chunks: readonly GenerationChunk[], includeUsage = false, logprobs?: number): Completion[] {
  const texts: string[] = [];
  const events = new CompletionEvents({ id: 'cmpl-1', created: 7, model: 'm' }, includeUsage, logprobs);
  for (const chunk of chunks) events.next(chunk, (event) => texts.push(...payloadsOf(event)));
  return texts.map((text) => JSON.parse(text) as Completion);
}

const logprobs = { tokens: ['b'], token_logprobs: [-1], top_logprobs: null, text_offset: [1] };
const answer: GenerationChunk[] = [
  { choices: [{ index: 0, text: 'a', finish_reason: null }] },
  { choices: [{ index: 0, text: 'b', logprobs, finish_reason: null }] },
  { choices: [{ index: 0, finish_reason: 'stop' }] },
];

describe('CompletionEvents', () => {
  it('gives each event the fields of the specification', () => {
    const events = eventsOf([...answer, { choices: [], usage: usageOf(1, 2) }]);
    expect(events.map(({ choices }) => choices[0])).toStrictEqual([
      { text: 'a', index: 0, logprobs: null, finish_reason: null },
      { text: 'b', index: 0, logprobs: null, finish_reason: null },
      { text: '', index: 0, logprobs: null, finish_reason: 'stop' },
    ]);
    for (const event of events) expect(event).toMatchObject({ id: 'cmpl-1', object: 'text_completion', created: 7, model: 'm' });
    expect(events.some((event) => 'usage' in event)).toBe(false);
  });

  it('sends log probabilities only where they were asked for', () => {
    expect(eventsOf(answer, false, 1).map(({ choices }) => choices[0]!.logprobs)).toEqual([null, logprobs, null]);
  });

  it('passes on the provider’s own text', () => {
    const text = '{"text":"a","index":0,"logprobs":null,"finish_reason":null}';
    const chunk = {
      choices: [{ index: 0, finish_reason: null }],
      run: { head: asByteText('"choices":['), literals: [asByteText(text)], tail: asByteText(']}') },
    };
    expect(eventsOf([chunk])[0]).toEqual({ id: 'cmpl-1', object: 'text_completion', created: 7, model: 'm', choices: [JSON.parse(text)] });
  });

  it('sends usage in every event, and the figures at the end, only where it was asked for', () => {
    const events = eventsOf([...answer, { choices: [], usage: usageOf(1, 2) }], true);
    expect(events.map(({ usage }) => usage)).toEqual([null, null, null, usageOf(1, 2)]);
  });
});
