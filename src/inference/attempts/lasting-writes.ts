import type { PromptTokensDetails } from '../../wire/usage.js';

/**
 * The details of a prompt that has asked to be kept for an hour: where the vendor does not say for how long it keeps
 * what it wrote, all of that is.
 */
export function withLastingWrites(details: PromptTokensDetails): PromptTokensDetails {
  const { ephemeral_5m_input_tokens: short = 0, ephemeral_1h_input_tokens: long = 0 } = details.cache_creation_token_details ?? {};
  const unsaid = (details.cache_creation_tokens ?? 0) - short - long;
  if (!(unsaid > 0)) return details;
  return {
    ...details,
    cache_creation_token_details: { ...details.cache_creation_token_details, ephemeral_1h_input_tokens: long + unsaid },
  };
}
