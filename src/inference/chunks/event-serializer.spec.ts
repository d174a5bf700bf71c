import { payloadsOf } from '../../http/answers/testing/payloads-of.js';
import { usageOf } from '../../wire/usage.js';
import { EventSerializer } from './event-serializer.js';
import { splitRun } from './split-run.js';
import { asByteText } from '../../wire/byte-text.js';

const envelope = { id: 'cmpl-1', created: 7, model: 'a "quoted" model' };
const choices = [{ index: 0, text: 'x' }];

describe('EventSerializer', () => {
  const plain = new EventSerializer(envelope, 'text_completion', false);
  const counting = new EventSerializer(envelope, 'text_completion', true);
  const expected = { ...envelope, object: 'text_completion', choices };

  it('puts the envelope before the choices', () => {
    expect(JSON.parse(plain.event(choices))).toEqual(expected);
    expect(plain.event(choices)).toMatch(/^\{"id":"cmpl-1","object":"text_completion","created":7,"model":/);
  });

  it('sends usage only where it was asked for: null in each event, the figures in an event of its own', () => {
    expect(JSON.parse(counting.event(choices))).toEqual({ ...expected, usage: null });
    expect(JSON.parse(counting.usageEvent(usageOf(1, 2))!)).toEqual({ ...expected, choices: [], usage: usageOf(1, 2) });
    expect(plain.usageEvent(usageOf(1, 2))).toBeUndefined();
  });

  it('writes what a vendor calls its service tier as UTF-8, whatever it is', () => {
    const usage = { ...usageOf(1, 2), service_tier: 'Ģ,"x":"žlutý 💥' };
    const written = Buffer.from(counting.usageEvent(usage)!, 'latin1').toString();
    expect(JSON.parse(written)).toMatchObject({ usage });
  });
});

it('gives each event of a run the provider’s own text, with a null usage where usage was asked for', () => {
  const run = {
    head: asByteText('"choices":[{"index":0,"text":"'),
    tail: asByteText('"}]}'),
    literals: ['a', '\\u00e9', 'c'].map(asByteText),
  };
  for (const includeUsage of [false, true]) {
    const events = new EventSerializer(envelope, 'text_completion', includeUsage);
    const expected = ['a', 'é', 'c'].map((text) => ({
      ...envelope,
      object: 'text_completion',
      choices: [{ index: 0, text }],
      ...(includeUsage && { usage: null }),
    }));
    expect(payloadsOf(events.run(run)).map((payload) => JSON.parse(payload) as object)).toEqual(expected);
    expect(events.run({ ...run, literals: [asByteText('a')] })).toBe(payloadsOf(events.run(run))[0]);
  }
  expect(splitRun({ choices: [{ index: 0, text: 'aéc', finish_reason: null }], run }).map(({ choices: [choice] }) => choice!.text)).toEqual(
    ['a', 'é', 'c'],
  );
});
