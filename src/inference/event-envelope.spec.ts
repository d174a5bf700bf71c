import { usageOf } from '../wire/usage.js';
import { EVENT_BREAK } from '../http/answers/event-stream.js';
import { answerEnvelope, EventEnvelope, parseRaw, unraw } from './event-envelope.js';

const envelope = { id: 'cmpl-1', created: 7, model: 'a "quoted" model' };
const choices = [{ index: 0, text: 'x' }];

describe('EventEnvelope', () => {
  const plain = new EventEnvelope(envelope, 'text_completion', false);
  const counting = new EventEnvelope(envelope, 'text_completion', true);
  const expected = { ...envelope, object: 'text_completion', choices };

  it('puts its head before the choices', () => {
    expect(JSON.parse(plain.event(choices))).toEqual(expected);
    expect(plain.event(choices)).toMatch(/^\{"id":"cmpl-1","object":"text_completion","created":7,"model":/);
  });

  it('says usage only to those who asked: null in each event, the figures in one of its own', () => {
    expect(JSON.parse(counting.event(choices))).toEqual({ ...expected, usage: null });
    expect(JSON.parse(counting.usageEvent(usageOf(1, 2))!)).toEqual({ ...expected, choices: [], usage: usageOf(1, 2) });
    expect(plain.usageEvent(usageOf(1, 2))).toBeUndefined();
  });

  it.each([['"choices":[{"index":0,"text":"x"}]}'], ['"choices":[{"index":0,"text":"x"}],"usage":null}']])(
    "keeps a provider's own text %s and its silence on usage",
    (raw) => {
      expect(JSON.parse(plain.rawEvent(raw))).toEqual(expected);
      expect(JSON.parse(counting.rawEvent(raw))).toEqual({ ...expected, usage: null });
      expect(parseRaw(raw)).toEqual(choices);
    },
  );
});

it('gives the events of a run as it gives each of them', () => {
  const run = { head: '"choices":[{"index":0,"text":"', tail: '"}]}', literals: ['a', '\\u00e9', 'c'] };
  for (const includeUsage of [false, true]) {
    const events = new EventEnvelope(envelope, 'text_completion', includeUsage);
    const each = run.literals.map((literal) => events.rawEvent(run.head + literal + run.tail));
    expect(events.runEvents(run).split(EVENT_BREAK)).toEqual(each);
  }
  expect(unraw({ choices: [{ index: 0, text: 'aéc', finish_reason: null }], run }).map(({ choices: [choice] }) => choice!.text)).toEqual([
    'a',
    'é',
    'c',
  ]);
});

it('counts the tokens of a run once where it is taken apart', () => {
  const run = { head: '"choices":[{"index":0,"text":"', tail: '"}]}', literals: ['a', 'b', 'c'] };
  const chunk = { choices: [{ index: 0, text: 'abc', finish_reason: null }], run };
  expect(unraw({ ...chunk, tokens: 5 }).map(({ tokens }) => tokens)).toEqual([5, 0, 0]);
  expect(unraw(chunk).some((piece) => 'tokens' in piece)).toBe(false);
});

describe('answerEnvelope', () => {
  it('carries the request’s id and the time in seconds', () => {
    const before = Math.floor(Date.now() / 1000);
    const made = answerEnvelope('chatcmpl', 'm', '0190');
    expect(made).toMatchObject({ id: 'chatcmpl-0190', model: 'm' });
    expect(made.created).toBeGreaterThanOrEqual(before);
    expect(made.created).toBeLessThanOrEqual(Date.now() / 1000);
  });
});
