import fc from 'fast-check';
import type { GenerationRequest } from '../../wire/generation.js';
import type { ModelProvider } from '../contract/model-provider.js';
import { isProviderError } from '../contract/provider-error.js';
import { HttpTransport } from '../transport/http-transport.js';
import { testCall } from './call.js';
import { collect, readAll } from './collect.js';
import { LoopbackUpstream } from './loopback-upstream.js';
import { BLOCKED, chargeInWords, chargeOfError, expectCharge } from './recording-charge.js';
import {
  describeRecorded,
  expectedUsage,
  recordedArguments,
  recordedBody,
  type Recording,
  recordingsOf,
  saysNothing,
} from './recordings.js';

interface RecordingsOptions {
  /** The manifest's names of the protocols that the provider uses, by the operation that they answer. */
  readonly wires: Readonly<Record<string, GenerationRequest['operation']>>;
  /** A provider whose address is the loopback upstream at `origin`. */
  readonly create: (origin: string, transport: HttpTransport) => ModelProvider;
  /**
   * Also ask for a stream where none was recorded, and the other way round: for protocols that go by the content type.
   */
  readonly bothModes?: boolean;
  /**
   * Converts a body that was recorded in the other mode to the mode that is asked for, where `bothModes` is set.
   * @throws SyntaxError where it has several events, of which no one answer can be made
   */
  readonly reframe?: (body: Buffer, stream: boolean) => Buffer;
  /** The content type of streams; absent: `text/event-stream`. */
  readonly streamType?: string;
}

/**
 * Serves each recording from a loopback upstream, whole and cut at random bytes, and compares the response with what
 * was expected.
 */
export function describeRecordings(title: string, options: RecordingsOptions): void {
  const { wires, create, bothModes = false, reframe, streamType = 'text/event-stream' } = options;
  const isReframed = (recording: Recording): boolean => {
    try {
      return recording.expect.error !== undefined || !reframe || Boolean(reframe(recordedBody(recording), recording.mode !== 'stream'));
    } catch {
      return false;
    }
  };
  const cases = recordingsOf(wires).flatMap((recording) => {
    const recorded = recording.mode === 'stream';
    return (bothModes && isReframed(recording) ? [recorded, !recorded] : [recorded]).map((stream) => ({ recording, stream }));
  });

  describeRecorded(cases, title, () => {
    const transport = new HttpTransport();
    let upstream: LoopbackUpstream;
    let provider: ModelProvider;

    beforeAll(async () => {
      upstream = await LoopbackUpstream.start();
      provider = create(upstream.origin, transport);
    });

    afterAll(async () => {
      await transport.onApplicationShutdown();
      await upstream.stop();
    });

    it.each(cases.map((one) => [one.recording.id, one.stream ? 'streamed' : 'whole', one] as const))(
      '%s, %s',
      async (_id, _mode, { recording, stream }) => {
        const { expect: expected } = recording;
        const recorded = recording.mode === 'stream';
        const reframed = reframe && recorded !== stream && !expected.error;
        const bytes = recordedBody(recording);
        const body = reframed ? reframe(bytes, stream) : bytes;
        const contentType = { 'content-type': (reframed ? stream : recorded) ? streamType : 'application/json' };
        const headers = reframed ? { ...recording.headers, ...contentType } : { ...contentType, ...recording.headers };
        const reply = { status: recording.status, headers, body };
        const request = {
          model: 'm',
          ...recording.ask,
          operation: wires[recording.wire],
          stream,
          n: Math.max(expected.choices?.length ?? 1, 1),
        } as GenerationRequest;
        const ask = () => readAll(provider.generate(request, testCall()));

        upstream.replies(reply);
        if (expected.error) {
          expectCharge(recording.id, chargeOfError(expected.error.upstream_status));
          await expect(ask()).rejects.toMatchObject({ name: 'ProviderError', status: expected.error.upstream_status });
          return;
        }
        if (expected.stream_error) {
          await expect(ask()).rejects.toMatchObject({ name: 'ProviderError' });
          return;
        }
        if (saysNothing(recording) && (await isRefused(ask()))) {
          expectCharge(recording.id, BLOCKED);
          return;
        }
        const answer = collect(await ask());
        await fc.assert(
          fc.asyncProperty(cutsOf(body), async (cuts) => {
            upstream.replies({ ...reply, cuts });
            expect(withoutIds(collect(await ask()))).toEqual(withoutIds(answer));
          }),
          { numRuns: 1 },
        );
        expect(answer.choices).toHaveLength(expected.choices?.length ?? 0);
        for (const facts of expected.choices ?? []) {
          const choice = answer.choices[facts.index];
          // No text is null in some formats, and empty in others.
          expect([facts.text || null, ...(expected.text_also ?? [])]).toContain(choice?.text || null);
          expect(choice?.reasoning ?? null).toBe(facts.reasoning || null);
          expect(choice?.refusal ?? null).toBe(facts.refusal ?? null);
          const calls = choice?.toolCalls.map(({ arguments: text, ...call }) => ({ ...call, arguments: recordedArguments(text) }));
          expect(calls).toEqual((facts.tool_calls ?? []).map(anyIdWhereNone));
          if (facts.finish) expect(facts.finish).toContain(choice?.finishReason);
        }
        const usage = expectedUsage(recording, answer.usage?.prompt_tokens);
        expectCharge(recording.id, chargeInWords(answer.usage));
        expect(answer.usage?.prompt_tokens).toBe(usage?.prompt_tokens);
        expect(answer.usage?.total_tokens).toBe(
          usage ? Math.max(usage.total_tokens, usage.prompt_tokens + (usage.completion_tokens ?? 0)) : undefined,
        );
      },
    );
  });
}

function isRefused(asked: Promise<unknown>): Promise<boolean> {
  return asked.then(
    () => false,
    (error: unknown) => isProviderError(error) && (error.kind === 'content_filtered' || error.kind === 'bad_response'),
  );
}

function anyIdWhereNone({ id, name, arguments: value }: { id: string | null; name: string; arguments: unknown }): unknown {
  return { id: id ?? (expect.any(String) as unknown), name, arguments: value };
}

/** Forty offsets, each as likely as any other. */
function cutsOf({ length }: Buffer): fc.Arbitrary<number[]> {
  const offset = fc.noBias(fc.nat({ max: length }));
  return fc.array(offset, { minLength: 40, maxLength: 40 }).map((offsets) => offsets.toSorted((a, b) => a - b));
}

/** Ids that the gateway makes where a vendor gives none differ from run to run. */
function withoutIds(answer: ReturnType<typeof collect>): unknown {
  return JSON.parse(JSON.stringify(answer, (name, value: unknown) => (name === 'id' ? undefined : value)));
}
