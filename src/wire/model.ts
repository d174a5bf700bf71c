/** Boolean flags of a Model (specification, Resources). */
export interface Capabilities {
  chat: boolean;
  completion: boolean;
  function_calling: boolean;
  vision: boolean;
  embeddings: boolean;
  json_mode: boolean;
}

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
  created: number;
  owned_by: string;
  provider: { id: string; name: string };
  pricing: Pricing;
  /** Tokens. */
  context_length: number;
  /** Tokens. */
  max_tokens: number;
  capabilities: Capabilities | DetailedCapabilities;
  performance: Performance;
  status: ModelStatus;
}

export interface ModelList {
  object: 'list';
  data: Model[];
}
