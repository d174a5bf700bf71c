import type { Integer } from './integer.js';
import { operations } from './operations.js';
import type { Component } from './price-component.js';

type Rates = Partial<Record<Component, number>>;

export const capabilityNames = ['chat', 'completion', 'function_calling', 'vision', 'embeddings', 'json_mode'] as const;

/** Boolean flags of a Model (specification, Resources). */
export interface Capabilities extends Record<(typeof capabilityNames)[number], boolean> {}

type OtherAbility = Exclude<(typeof operations)[keyof typeof operations]['needs'], keyof Capabilities>;

/** What else operations need of models: lists of models are asked for it, and show no more than the flags. */
export const otherAbilities = Object.values(operations)
  .map(({ needs }) => needs)
  .filter((needs): needs is OtherAbility => !(capabilityNames as readonly string[]).includes(needs));

export const abilityNames = [...capabilityNames, ...otherAbilities];

export type Abilities = Capabilities & Partial<Record<OtherAbility, boolean>>;

/** A model that can do nothing that there is a flag for. */
export const incapable = Object.fromEntries(capabilityNames.map((name) => [name, false])) as Record<keyof Capabilities, false>;

/** One that can do what most that chat can. */
export const chats = { ...incapable, chat: true, function_calling: true, json_mode: true };

/** The flags with the details that `include_capabilities=true` adds. */
export interface DetailedCapabilities extends Capabilities {
  supported_parameters: readonly string[];
  input_modalities: readonly string[];
  output_modalities: readonly string[];
}

/** Credits per 1,000 tokens. */
export interface Pricing {
  prompt: number;
  completion: number;
  unit: '1k_tokens';
}

interface Tiered extends Rates {
  tiers?: ({ above: Integer; beyond?: boolean; prompt: number; completion: number } & Rates)[];
}

/** All prices of a service tier, or of some hours. */
interface PricingLevel extends Tiered {
  prompt: number;
  completion: number;
}

/**
 * What a price tells beside `pricing`, in credits per 1,000 tokens, or 1,000 calls. A component that is absent costs
 * what it is a part of. With a prompt of more than `above` tokens the prices of the tier are charged; at a service
 * tier, or for a request that begins in `hours` (UTC), theirs.
 */
export interface PricingComponents extends Tiered {
  service_tiers?: Record<string, PricingLevel>;
  hours?: (PricingLevel & { from: string; to: string; days?: string[] })[];
}

/** Live figures, in seconds, tokens per second and per cent. */
export interface Performance {
  avg_response_time: number;
  avg_tokens_per_second: number;
  uptime_percentage: number;
}

export interface ModelStatus {
  active: boolean;
  message: string;
}

/** Element of the list-models response (specification, Resources). */
export interface Model {
  id: string;
  object: 'model';
  /** Unix timestamp in seconds. */
  created: Integer;
  owned_by: string;
  provider: { id: string; name: string };
  pricing: Pricing;
  /** Only with `include_capabilities=true`, and where there is any. */
  pricing_components?: PricingComponents;
  /** Tokens. */
  context_length: Integer;
  /** Tokens. */
  max_tokens: Integer;
  capabilities: Capabilities | DetailedCapabilities;
  performance: Performance;
  status: ModelStatus;
}

export interface ModelList {
  object: 'list';
  data: Model[];
}
