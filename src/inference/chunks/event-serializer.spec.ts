import { usageOf } from '../../wire/usage.js';
import { payloadsOf } from '../../http/answers/testing/payloads-of.js';
import { completionEnvelope, EventSerializer, splitRun } from './event-serializer.js';

const envelope = { id: 'cmpl-1', created: 7, model: 'a "quoted" model' };
const choices = [{ index: 0, text: 'x' }];

describe('EventSerializer', () => {
  const plain = new EventSerializer(envelope, 'text_completion', false);
  const counting = new EventSerializer(envelope, 'text_completion', true);
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
});

it('gives each event of a run the provider’s own text, and its silence on usage', () => {
  const run = { head: '"choices":[{"index":0,"text":"', tail: '"}]}', literals: ['a', '\\u00e9', 'c'] };
  for (const includeUsage of [false, true]) {
    const events = new EventSerializer(envelope, 'text_completion', includeUsage);
    const expected = ['a', 'é', 'c'].map((text) => ({
      ...envelope,
      object: 'text_completion',
      choices: [{ index: 0, text }],
      ...(includeUsage && { usage: null }),
    }));
    expect(payloadsOf(events.run(run)).map((payload) => JSON.parse(payload) as object)).toEqual(expected);
    expect(events.run({ ...run, literals: ['a'] })).toBe(payloadsOf(events.run(run))[0]);
  }
  expect(splitRun({ choices: [{ index: 0, text: 'aéc', finish_reason: null }], run }).map(({ choices: [choice] }) => choice!.text)).toEqual(
    ['a', 'é', 'c'],
  );
});

it('counts the tokens of a run once where it is taken apart', () => {
  const run = { head: '"choices":[{"index":0,"text":"', tail: '"}]}', literals: ['a', 'b', 'c'] };
  const chunk = { choices: [{ index: 0, text: 'abc', finish_reason: null }], run };
  expect(splitRun({ ...chunk, tokens: 5 }).map(({ tokens }) => tokens)).toEqual([5, 0, 0]);
  expect(splitRun(chunk).some((piece) => 'tokens' in piece)).toBe(false);
});

describe('completionEnvelope', () => {
  it('carries the request’s id and the time in seconds', () => {
    const before = Math.floor(Date.now() / 1000);
    const made = completionEnvelope('chatcmpl', 'm', '0190');
    expect(made).toMatchObject({ id: 'chatcmpl-0190', model: 'm' });
    expect(made.created).toBeGreaterThanOrEqual(before);
    expect(made.created).toBeLessThanOrEqual(Date.now() / 1000);
  });
});
