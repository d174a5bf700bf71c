import type { InputCeilings } from '../contract/model-provider.js';

/**
 * What an image counts at most at models of open weights: Qwen's models read up to 12,845,056 pixels, 28 x 28 of which
 * are a token (their preprocessor_config.json), which is the most. Llama's read up to 4 tiles of 1,601 tokens
 * (docs.together.ai/docs/vision-overview).
 */
export const openWeights: InputCeilings = { image: 16_384 };

/**
 * developers.openai.com/api/docs/guides/images-vision, November 2026. Models before GPT-5.4 see an image in 8 tiles and
 * a base, of 5,667 and 2,833 tokens at GPT-4o mini, 170 and 85 at most elsewhere; or in 1,536 patches, which the
 * smallest models count 2.46 times. Later ones see up to 10,000 patches. A file has up to 100 pages, each as text and
 * as an image: more than any context.
 */
export function openaiCeilings(upstreamModel: string): InputCeilings {
  const name = upstreamModel.slice(upstreamModel.lastIndexOf('/') + 1);
  return { image: imageOf(name), file: 1_050_000 };
}

function imageOf(name: string): number {
  if (name.startsWith('gpt-4o-mini')) return 48_169;
  if (/^(gpt-(4\.1|5)-(mini|nano)|o4-mini)/.test(name)) return 3_779;
  if (/^((chat)?gpt-4|gpt-5(-|$)|o[13])/.test(name)) return 1_445;
  return 24_600;
}
