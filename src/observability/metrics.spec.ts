import type { GenerationRecord } from '../common/generation-record.js';
import type { EndedRequest, OpenRequests } from '../http/server/open-requests.js';
import type { OpenStreams } from '../http/answers/open-streams.js';
import { usageOf } from '../wire/usage.js';
import { Metrics } from './metrics.js';
import { ModuleFigures } from './provider-figures.js';

function setUp() {
  let end: (ended: EndedRequest) => void = () => undefined;
  const open = { size: 0, onEnd: (listener: typeof end) => (end = listener) } as unknown as OpenRequests;
  const metrics = new Metrics(open, { size: 0 } as OpenStreams);
  const generation = (record: Partial<GenerationRecord>) => {
    const whole = { operation: 'chat', model: 'm', streamed: false, attempts: [], dropped: new Set<string>(), ...record };
    const request = {
      requestContext: { record: whole },
      routeOptions: { url: '/v1/chat/completions' },
      principal: { environment: 'live' },
    };
    end({ request, reply: { raw: { statusCode: 200 } }, ms: 12, answered: true } as unknown as EndedRequest);
  };
  const lines = async (name: string) => (await metrics.text()).split('\n').filter((line) => line.startsWith(`switchyard_${name}`));
  return { metrics, generation, lines };
}

describe('Metrics', () => {
  it('counts a generation, its attempts, tokens and credits', async () => {
    const { generation, lines } = setUp();
    generation({
      attempts: [
        { offer: 'a/m', outcome: 'overloaded', startedMs: 0, totalMs: 2 },
        { offer: 'b/m', outcome: 'served', startedMs: 2, firstTokenMs: 5, totalMs: 9 },
      ],
      provider: 'b',
      usage: usageOf(3, 4),
      charged: 1_500_000_000n,
    });
    expect(await lines('attempts_total')).toEqual([
      'switchyard_attempts_total{offer="a/m",outcome="overloaded"} 1',
      'switchyard_attempts_total{offer="b/m",outcome="served"} 1',
    ]);
    expect(await lines('requests_total')).toEqual([
      'switchyard_requests_total{operation="chat",model="m",status="200",environment="live"} 1',
    ]);
    expect(await lines('credits_charged_total')).toEqual(['switchyard_credits_charged_total{model="m",environment="live"} 1.5']);
    expect(await lines('first_token_seconds_sum')).toEqual(['switchyard_first_token_seconds_sum{operation="chat",provider="b"} 0.005']);
  });

  it('keeps a bounded number of series, however many models and offers come', async () => {
    const { metrics, generation, lines } = setUp();
    for (let n = 0; n < 1_200; n++) generation({ model: `m${n}`, attempts: [{ offer: `a/m${n}`, outcome: 'served', startedMs: 0 }] });
    expect(await lines('requests_total')).toHaveLength(501);
    expect((await lines('requests_total')).at(-1)).toContain('model="other",status="200",environment="live"} 700');
    expect(await lines('attempts_total')).toHaveLength(1_001);
    metrics.gauges('things', 'Things', 'thing', () => Array.from({ length: 1_200 }, (_, n) => [`t${n}`, n] as const));
    expect(await lines('things')).toHaveLength(1_000);
  });

  it('take no figure of a provider module that would spoil a sum for ever', async () => {
    const { metrics, lines } = setUp();
    const figures = new ModuleFigures(metrics);
    figures.observe('acme', 'signing', 0.5);
    figures.count('acme', 'made', 2);
    for (const wrong of [Number.NaN, -1, Number.POSITIVE_INFINITY, '3' as unknown as number]) {
      expect(() => figures.observe('acme', 'signing', wrong)).toThrow(TypeError);
      expect(() => figures.count('acme', 'made', wrong)).toThrow(TypeError);
    }
    expect(await lines('provider_signing_seconds_sum')).toEqual(['switchyard_provider_signing_seconds_sum{provider="acme"} 0.5']);
    expect(await lines('provider_made')).toEqual(['switchyard_provider_made_total{provider="acme"} 2']);
  });
});
