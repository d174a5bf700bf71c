/** Credits per 1,000 tokens of every model that the hostile provider offers. */
export const PRICE = { prompt: 0.01, completion: 0.03 };
/** What the model `caching` costs beside that, and the same in nano-credits a token. */
export const CACHE_PRICE = { cached_input: 0.001, cache_write_5m: 0.0125, cache_write_1h: 0.02 };
export const CACHE_NANO = { cached: 1_000n, write5m: 12_500n, write1h: 20_000n };
/** `PRICE` in nano-credits a token. */
export const PROMPT_NANO = 10_000n;
export const COMPLETION_NANO = 30_000n;

/** What a request may be charged beyond the exact price. */
export const ROUNDING = 1n;

/** Nano-credits of so many tokens. */
export function costOf(prompt: number, completion: number): bigint {
  return BigInt(Math.ceil(prompt)) * PROMPT_NANO + BigInt(Math.ceil(completion)) * COMPLETION_NANO;
}

/** Nano-credits as credits. */
export function inCredits(nano: bigint): string {
  return (Number(nano) / 1e9).toFixed(5);
}
