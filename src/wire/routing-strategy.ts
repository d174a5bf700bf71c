/** How one of several offers of a model is chosen; each is written in `inference/routing/strategy.ts`. */
export const strategies = ['priority', 'weighted', 'cheapest', 'latency', 'throughput', 'sticky'] as const;
export type Strategy = (typeof strategies)[number];
