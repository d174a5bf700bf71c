import { readdirSync, readFileSync, symlinkSync, unlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import * as fc from 'fast-check';
import { emptyFolder } from '../../common/testing/started.js';
import { partsOf } from '../../common/prices/counted-parts.js';
import { priceComponents } from '../../common/prices/price-components.js';
import { sumOf, usageOf } from '../../wire/usage.js';
import { crashedEnding, type Ending, type RequestFacts } from '../hold/request-facts.js';
import { settleCharge } from '../hold/settle-charge.js';
import { NoDelivery } from '../testing/no-delivery.js';
import { abandonedJournals } from './abandoned-journals.js';
import { beginLine, endLine, progressLine, promptLine, readJournal } from './journal-record.js';
import { Journal } from './journal.js';
import { rowOf } from './usage-rows.js';

const nano = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
const tokens = fc.nat({ max: 1_000_000 });
const components = fc
  .record({ cached_input: nano, cache_write_5m: nano, request: nano, above: tokens }, { requiredKeys: ['cached_input', 'above'] })
  .map(({ above, ...rates }) => priceComponents(rates, [{ above, beyond: false, prompt: 1n, completion: 2n, rates }])!);
const price = fc.record({ prompt: nano, completion: nano, id: fc.uuid(), components }, { requiredKeys: ['prompt', 'completion'] });
const facts: fc.Arbitrary<RequestFacts> = fc.record({
  requestId: fc.uuid({ version: 7 }),
  principal: fc.record({ accountId: fc.string(), environment: fc.constantFrom('live' as const, 'test' as const), keyId: fc.string() }),
  operation: fc.constantFrom('chat' as const, 'completion' as const),
  model: fc.string({ unit: 'binary' }),
  price,
  leaseId: fc.option(fc.uuid(), { nil: undefined }),
  hold: nano,
  startedAt: tokens,
});
const ending = (request: RequestFacts): fc.Arbitrary<Ending> =>
  fc.record({
    request: fc.constant(request),
    charge: fc.record({ promptTokens: tokens, completionTokens: tokens, price, amount: nano, excess: nano }).map((charge) => {
      const parts = partsOf(charge.price, [usageOf(charge.promptTokens, charge.completionTokens)], { startedAt: request.startedAt });
      return { ...charge, ...(parts && { parts }) };
    }),
    outcome: fc.constantFrom('completed' as const, 'client_left' as const),
    estimated: fc.boolean(),
    provider: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
    endedAt: tokens,
  });
const openProgress = (completionTokens: number) => ({
  number: 1,
  delivered: { promptTokens: 0, completionTokens },
  settled: false,
  deferredAt: undefined,
});
const NOW = 1_000;

/** A request's lines, and what they come to after each of them. */
const history = facts.chain((request) =>
  fc
    .record({ prompt: tokens, cached: tokens, completion: tokens, end: ending({ ...request, hold: request.hold }) })
    .map((more) => ({ request, ...more })),
);

describe('the journal', () => {
  const folder = emptyFolder();
  beforeEach(() => Logger.overrideLogger(false));

  it('says of each request, wherever the file was cut, what its whole lines say', () => {
    fc.assert(
      fc.property(history, fc.nat(), ({ request, prompt, cached, completion, end }, cut) => {
        const prompts = [{ prompt_tokens: prompt, prompt_tokens_details: { cached_tokens: cached } }];
        const lines = [
          beginLine(7, request),
          promptLine(7, prompts),
          progressLine(7, prompt, completion),
          endLine(7, rowOf(end), end.charge.excess),
        ];
        const delivered = { promptTokens: prompt, completionTokens: completion, prompts };
        const expected = [
          [],
          [crashedEnding(request, { promptTokens: 0, completionTokens: 0 }, NOW)],
          [crashedEnding(request, { promptTokens: 0, completionTokens: 0, prompts }, NOW)],
          [crashedEnding(request, delivered, NOW)],
          [{ ...end, request }],
        ];
        const bytes = Buffer.from(lines.join(''));
        const position = cut % (bytes.length + 1);
        let whole = 0;
        for (let length = 0; whole < lines.length; whole++) {
          length += Buffer.byteLength(lines[whole]!);
          // The line feed is not needed to tell that a line is whole.
          if (length - 1 > position) break;
        }
        expect(readJournal(bytes.subarray(0, position).toString(), NOW)).toEqual(expected[whole]);
      }),
    );
  });

  it('charges the prompt of a dead process by its parts, and never above the same request whose client has left', () => {
    const count = fc.record({ prompt_tokens: tokens, cached_tokens: tokens, cache_creation_tokens: tokens });
    const prompts = fc.array(
      count.map(({ prompt_tokens, ...prompt_tokens_details }) => ({ prompt_tokens, prompt_tokens_details })),
      { minLength: 1, maxLength: 3 },
    );
    const smaller = fc.bigInt({ min: 0n, max: 10n ** 9n });
    const rising = fc
      .record({ cached_input: smaller, cache_write_5m: smaller, request: smaller, prompt: smaller, completion: smaller, above: tokens })
      .map(({ prompt, completion, above, ...rates }) => {
        const tier = { above, beyond: false, prompt: 2n * prompt, completion: 2n * completion, rates: {} };
        return { prompt, completion, components: priceComponents(rates, [tier])! };
      });
    fc.assert(
      fc.property(facts, rising, prompts, fc.array(tokens, { minLength: 3, maxLength: 3 }), (request, own, calls, outputs) => {
        const usages = calls.map((call, index) => ({ ...usageOf(call.prompt_tokens, outputs[index]!), ...call }));
        const usage = sumOf(usages);
        const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = usage;
        const left = settleCharge({ outcome: 'client_left', usage, calls: usages, estimated: true }, request.hold, own, request.startedAt);
        const {
          amount,
          price: charged,
          parts,
        } = crashedEnding({ ...request, price: own }, { promptTokens, completionTokens, prompts: calls }, NOW).charge;
        expect(amount).toBeLessThanOrEqual(left.due);
        if (calls.length === 1 && completionTokens > 0)
          expect({ due: amount, charged, parts }).toEqual({ due: left.due, charged: own, parts: left.parts });
      }),
    );
  });

  it('skips what is garbled', () => {
    const [request] = fc.sample(facts, 1) as [RequestFacts];
    const text = `\0\0\0\n[]\n{"a":1}\n["end",1]\n["begin"]\nnull\n${beginLine(1, request)}["progress",1,garbled\n${progressLine(1, 2, 3)}`;
    expect(readJournal(text, NOW)).toEqual([crashedEnding(request, { promptTokens: 2, completionTokens: 3 }, NOW)]);
  });

  it.each([1, 5_000, 10_000, 20_000])('writes %d characters of several bytes as they are', (length) => {
    const line = `${'€\u{1f600}é'.repeat(length)}\n`;
    const journal = Journal.begin(folder, 'node', new NoDelivery());
    for (const part of ['before\n', line, 'behind\n']) {
      journal.write(part);
      journal.flush();
    }
    expect(readFileSync(join(folder, 'node.journal'), 'utf8')).toBe(`before\n${line}behind\n`);
    journal.close(false);
  });

  it('says that a piece was delivered after the system has it', async () => {
    const journal = Journal.begin(folder, 'node', new NoDelivery());
    const waiting: number[] = [];
    const server = createServer((_request, response) => {
      response.write('head');
      setTimeout(() => {
        // What a tick brings leaves in one write at its end; other requests write to the journal meanwhile.
        process.nextTick(() => response.write('piece'));
        journal.writeProgress({
          ...openProgress(0),
          get delivered() {
            waiting.push(response.socket!.writableLength);
            response.end();
            return { promptTokens: 0, completionTokens: 1 };
          },
        });
        journal.write('another request\n');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).text();
    server.close();
    expect(waiting).toEqual([0]);
    expect(readFileSync(join(folder, 'node.journal'), 'utf8')).toBe('another request\n["progress",1,0,1]\n');
    journal.close(false);
  });

  it.each([
    ['its turn ends', () => undefined],
    ['it is flushed', (journal: Journal) => journal.flush()],
    ['it is rotated', (journal: Journal) => journal.rotate(['end\n'])],
  ])('lets clients have what a turn has for them before it says what that costs, when %s', async (_when, tell) => {
    const said: string[] = [];
    const deliver = () => void said.push(readFileSync(join(folder, 'node.journal'), 'utf8'));
    const journal = Journal.begin(folder, 'node', { deliver });
    journal.write('end\n');
    tell(journal);
    await new Promise((resolve) => setImmediate(resolve));
    expect([said[0], readFileSync(join(folder, 'node.journal'), 'utf8')]).toEqual(['', 'end\n']);
    journal.close(false);
  });

  it.each([
    ['its turn ends', () => undefined],
    ['it is flushed', (journal: Journal) => journal.flush()],
    ['it is rotated', (journal: Journal) => journal.rotate(['end\n'])],
  ])('is written also where delivering fails, when %s', async (_when, tell) => {
    const journal = Journal.begin(folder, 'node', {
      deliver() {
        throw new Error('a response has failed');
      },
    });
    journal.write('end\n');
    tell(journal);
    await new Promise((resolve) => setImmediate(resolve));
    expect(readFileSync(join(folder, 'node.journal'), 'utf8')).toBe('end\n');
    journal.close(false);
  });

  it('writes one line of progress a turn of the loop, and all of a turn at its end', async () => {
    const journal = Journal.begin(folder, 'node', new NoDelivery());
    const read = () => readFileSync(join(folder, 'node.journal'), 'utf8');
    const request = openProgress(0);
    journal.writeProgress(request);
    journal.write('first\n');
    request.delivered.completionTokens = 5;
    journal.writeProgress(request);
    expect(read()).toBe('');
    await new Promise((resolve) => setImmediate(resolve));
    expect(read()).toBe('first\n["progress",1,0,5]\n');
    journal.close(false);
  });

  it('writes what a request was handed before it is handed more in the same turn', async () => {
    const journal = Journal.begin(folder, 'node', new NoDelivery());
    const read = () => readFileSync(join(folder, 'node.journal'), 'utf8');
    const request = openProgress(1);
    journal.writeProgress(request);
    await new Promise((resolve) => process.nextTick(resolve));
    expect(read()).toBe('');
    journal.catchUp(request);
    expect(read()).toBe('["progress",1,0,1]\n');
    request.delivered.completionTokens = 2;
    journal.writeProgress(request);
    journal.catchUp(request);
    expect(read()).toBe('["progress",1,0,1]\n');
    journal.flush();
    expect(read()).toBe('["progress",1,0,1]\n["progress",1,0,2]\n');
    journal.close(false);
  });

  it('leaves behind what is settled when it is rotated', async () => {
    const journal = Journal.begin(folder, 'node', new NoDelivery());
    const line = `${'x'.repeat(1023)}\n`;
    for (let i = 0; i < 4 * 1024; i++) journal.write(line);
    journal.flush();
    expect(journal.full).toBe(false);
    journal.write(line);
    journal.flush();
    expect(journal.full).toBe(true);
    journal.rotate(['still open\n']);
    journal.write('after\n');
    journal.flush();
    expect(journal.full).toBe(false);
    expect(readFileSync(join(folder, 'node.journal'), 'utf8')).toBe('still open\nafter\n');
    journal.close(true);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is nobody’s to read while its process lives, and gone when it is finished with', () => {
    const [request] = fc.sample(facts, 1) as [RequestFacts];
    const journal = Journal.begin(folder, 'node', new NoDelivery());
    journal.write(beginLine(1, request));
    journal.flush();
    expect([...abandonedJournals(folder)]).toEqual([]);
    journal.close(false);
    const [abandoned] = abandonedJournals(folder);
    expect(abandoned).toMatchObject({ nodeId: 'node', endings: [{ request, outcome: 'crashed' }] });
    for (const found of abandonedJournals(folder)) found.finish();
    expect(readdirSync(folder)).toEqual([]);
    expect([...abandonedJournals(join(folder, 'nowhere'))]).toEqual([]);
  });

  it('says when it cannot write, and goes on when it can again', () => {
    symlinkSync('/dev/full', join(folder, 'node.journal'));
    const journal = Journal.begin(folder, 'node', new NoDelivery());
    journal.write('lost\n');
    journal.flush();
    expect(journal.error).toMatchObject({ code: 'ENOSPC' });
    unlinkSync(join(folder, 'node.journal'));
    journal.rotate(['still open\n']);
    journal.write('after\n');
    journal.flush();
    expect(journal.error).toBeUndefined();
    expect(readFileSync(join(folder, 'node.journal'), 'utf8')).toContain('still open\n');
    journal.close(true);
  });
});
