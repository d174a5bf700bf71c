import { readFileSync } from 'node:fs';
import { linesOf } from '../../common/prices/charge-lines.js';
import { partsOf } from '../../common/prices/counted-parts.js';
import { charge, formatCredits, parsePrice, type PriceQuote } from '../../common/prices/credits.js';
import { callComponents } from '../../wire/price-component.js';
import type { JsonObject } from '../../wire/json-object.js';
import type { Usage } from '../../wire/usage.js';
import { perThousand, dearest } from '../contract/price-decimal.js';
import { usageFrom as fromAnthropic } from '../protocols/anthropic-messages/usage.js';
import { usageFrom as fromBedrock } from '../bedrock/usage.js';
import { usageFrom as fromCohere } from '../cohere/usage.js';
import { usageFrom as fromOllama } from '../ollama/usage.js';
import { usageFrom as fromOpenai } from '../protocols/chat-completions/usage.js';
import { usageFrom as fromGemini } from '../protocols/gemini-generate-content/usage.js';
import fc from 'fast-check';

/** A usage as a vendor documents it, or as a recording has it, and what the vendor charges for it. */
interface VendorUsage {
  readonly name: string;
  readonly usage: object;
  /** How the charge was computed by hand, in dollars for a million tokens or, with `/ 1k`, a thousand calls. */
  readonly sum: string;
  /** US dollars that the vendor says it has charged, in the same answer. */
  readonly reported?: string;
}

/** Whose usage object it is. */
type Format = 'openai' | 'anthropic' | 'gemini' | 'bedrock' | 'cohere' | 'ollama';

/** US dollars for a million tokens, or a thousand calls, by component. */
type Quote = Readonly<Record<string, number>>;

interface VendorPrice {
  readonly quote: Quote;
  readonly tiers?: readonly (Quote & { readonly above: number })[];
  /** By the vendor's name of the tier. */
  readonly serviceTiers?: Readonly<Record<string, Quote>>;
  /** In UTC, as `01:00-04:00`. */
  readonly hours?: Readonly<Record<string, Quote>>;
  /** When the request began; in an hour at which nothing is dearer unless it says so. */
  readonly at?: string;
}

/** Usages at one price. */
interface Usages {
  readonly format: Format;
  readonly price: VendorPrice;
  readonly rows: readonly VendorUsage[];
}

/**
 * From platform.openai.com/docs (prompt caching, reasoning, audio, predicted outputs), api-docs.deepseek.com,
 * console.groq.com/docs, docs.mistral.ai, docs.x.ai, openrouter.ai/docs, docs.perplexity.ai (pricing),
 * platform.claude.com/docs (prompt caching, web search, long context), ai.google.dev (caching, thinking, pricing),
 * cloud.google.com/vertex-ai, docs.aws.amazon.com (Converse, prompt caching), docs.cohere.com (pricing), and from
 * recordings of these vendors. A few have other numbers than the vendor's example; members that say nothing of the
 * charge are left out.
 */
const groups = JSON.parse(readFileSync(new URL('__fixtures__/vendor-usages.json', import.meta.url), 'utf8')) as readonly Usages[];
const vendorUsages = groups.flatMap(({ rows, ...group }) => rows.map((row) => ({ ...row, ...group })));

describe('a usage as the vendor documents it', () => {
  it.each(vendorUsages.map((one) => [one.name, one.sum, one] as const))('%s: %s', (_name, sum, one) => {
    const usage = usageIn(one.format, one.usage)!;
    const parsed = parsePrice(quoteOf(one));
    const parts = partsOf(parsed, [usage], { startedAt: Date.parse(one.price.at ?? '2026-11-23T00:00:00Z') });
    const due = charge(parsed, usage.prompt_tokens, usage.completion_tokens, parts);
    // One rounding, upwards to a billionth.
    expect(due).toBe((exactly(sum) + 999n) / 1_000n);
    if (one.reported !== undefined) expect(formatCredits(due)).toBe(one.reported);
    const lines = linesOf(parsed, usage.prompt_tokens, usage.completion_tokens, parts);
    const tokens = lines.filter(({ name }) => !Object.hasOwn(callComponents, name)).reduce((all, { count }) => all + Number(count), 0);
    expect(tokens).toBe(usage.total_tokens);
  });

  it('is there for every format, and more than forty times', () => {
    expect(new Set(vendorUsages.map(({ format }) => format)).size).toBe(6);
    expect(new Set(vendorUsages.map(({ name }) => name)).size).toBe(vendorUsages.length);
    expect(vendorUsages.length).toBeGreaterThan(40);
  });
});

/** In 10^-12 dollars, by nothing of the gateway's own arithmetic. */
function exactly(sum: string): bigint {
  return sum.split(' + ').reduce((all, term) => {
    const [, count = '', price = '', calls] = /^(\d+) x (\d+(?:\.\d+)?)( \/ 1k)?$/.exec(term)!;
    return all + BigInt(count) * BigInt(Math.round(Number(price) * 1_000_000)) * (calls ? 1_000n : 1n);
  }, 0n);
}

function usageIn(format: Format, usage: object): Usage | undefined {
  if (format === 'openai') return fromOpenai(usage);
  if (format === 'ollama') return fromOllama(usage, true).usage;
  if (format === 'bedrock') return fromBedrock(usage);
  if (format === 'cohere') return fromCohere(usage);
  if (format === 'gemini') return fromGemini(usage);
  return fromAnthropic(usage as JsonObject);
}

function quoteOf({ price: { quote, tiers = [], serviceTiers = {}, hours = {} } }: Pick<Usages, 'price'>): PriceQuote {
  return {
    ...perUnit(quote),
    tiers: tiers.map(({ above, ...tier }) => ({ ...perUnit(tier), above })),
    service_tiers: Object.fromEntries(Object.entries(serviceTiers).map(([name, level]) => [name, perUnit(level)])),
    hours: Object.entries(hours).map(([time, level]) => ({ from: time.slice(0, 5), to: time.slice(6), ...perUnit(level) })),
  };
}

/** One credit is one US dollar. */
function perUnit(price: Readonly<Record<string, number>>): PriceQuote {
  const tokens = perThousand({ prompt: 0, completion: 0, ...price }, 1_000_000)!;
  const calls = Object.entries(price).filter(([name]) => Object.hasOwn(callComponents, name));
  return { ...tokens, ...Object.fromEntries(calls) };
}

const prompt = (value: unknown, per: 1 | 1_000 | 1_000_000) => perThousand({ prompt: value, completion: 0 }, per)?.prompt;

describe('perThousand', () => {
  it.each([
    [0.15, 1_000_000, '0.00015'],
    [0.0375, 1_000_000, '0.0000375'],
    [2.5, 1_000_000, '0.0025'],
    [100, 1_000_000, '0.1'],
    ['0.00000025', 1, '0.00025'],
    [1e-7, 1, '0.0001'],
    ['0', 1, '0'],
    [0.0001, 1_000, '0.0001'],
    [1_000, 1, '1000000'],
  ] as const)('%p for %p tokens is %p', (value, per, expected) => expect(prompt(value, per)).toBe(expected));

  it('rounds up what is finer than a billionth', () => {
    expect(prompt('0.0000001', 1_000_000)).toBe('0.000000001');
    expect(prompt('1.0000001', 1_000_000)).toBe('0.001000001');
    expect(prompt(0.1 + 0.2, 1_000_000)).toBe('0.000300001');
  });

  it.each([-1, '-1', Number.NaN, Infinity, '', 'free', null, undefined, {}, '1e999'])('knows no price in %p', (value) =>
    expect(prompt(value, 1)).toBeUndefined(),
  );

  it('is never short of the price, and less than a billionth above it', () => {
    const decimal = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.integer({ min: 0, max: 12 }));
    fc.assert(
      fc.property(decimal, ([units, places]) => {
        const text = units.toString().padStart(places + 1, '0');
        const value = places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`;
        const [whole = '', fraction = ''] = String(prompt(value, 1_000_000)).split('.');
        expect(fraction.length).toBeLessThanOrEqual(9);
        // Both in units of 10 to the power of -(places + 3 + 9).
        const ours = BigInt(whole + fraction.padEnd(9, '0')) * 10n ** BigInt(places + 3);
        const theirs = units * 10n ** 9n;
        expect(ours >= theirs && ours - theirs < 10n ** BigInt(places + 3)).toBe(true);
      }),
    );
  });
});

it('dearest takes each side of the dearest', () => {
  expect(
    dearest([
      { prompt: '0.1', completion: '9' },
      { prompt: 0.2, completion: '10' },
    ]),
  ).toEqual({ prompt: 0.2, completion: '10' });
  expect(dearest([])).toBeUndefined();
});
