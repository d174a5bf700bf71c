import type { Usage } from '../../../wire/usage.js';
import { usageFrom } from './usage.js';
import type { UsageMetadata } from './wire.js';

it.each<[string, UsageMetadata, Usage]>([
  [
    'thoughts beside candidates, prompts of tools beside the prompt',
    { promptTokenCount: 70, candidatesTokenCount: 40, thoughtsTokenCount: 61, toolUsePromptTokenCount: 9, totalTokenCount: 180 },
    { prompt_tokens: 79, completion_tokens: 101, total_tokens: 180, completion_tokens_details: { reasoning_tokens: 61 } },
  ],
  [
    'cached tokens inside the prompt, by modality',
    {
      promptTokenCount: 1_000,
      cachedContentTokenCount: 600,
      candidatesTokenCount: 5,
      totalTokenCount: 1_005,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 700 },
        { modality: 'AUDIO', tokenCount: 200 },
        { modality: 'IMAGE', tokenCount: 100 },
      ],
      cacheTokensDetails: [
        { modality: 'TEXT', tokenCount: 450 },
        { modality: 'AUDIO', tokenCount: 150 },
      ],
    },
    {
      prompt_tokens: 1_000,
      completion_tokens: 5,
      total_tokens: 1_005,
      prompt_tokens_details: { cached_tokens: 600, cached_tokens_details: { audio_tokens: 150 }, audio_tokens: 200, image_tokens: 100 },
    },
  ],
  [
    'what the total leaves unexplained',
    { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 22 },
    { prompt_tokens: 10, completion_tokens: 12, total_tokens: 22, completion_tokens_details: { unexplained_tokens: 7 } },
  ],
  [
    'fractions as the next whole token',
    { promptTokenCount: 1_000.5, candidatesTokenCount: 10, totalTokenCount: 1_010.5 },
    { prompt_tokens: 1_001, completion_tokens: 10, total_tokens: 1_011 },
  ],
  [
    'a prompt that is not told as what the total has beyond the output',
    { candidatesTokenCount: 10, totalTokenCount: 1_010 },
    { prompt_tokens: 1_000, completion_tokens: 10, total_tokens: 1_010 },
  ],
  [
    'a text as no count',
    { promptTokenCount: '1000' as never, candidatesTokenCount: 10, totalTokenCount: 1_010 },
    { prompt_tokens: 1_000, completion_tokens: 10, total_tokens: 1_010 },
  ],
  [
    'garbage as nothing',
    {
      promptTokenCount: 10,
      candidatesTokenCount: 5,
      promptTokensDetails: 'x' as never,
      cacheTokensDetails: [null, { modality: 1 }] as never,
    },
    { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  ],
])('counts %s', (_name, metadata, usage) => expect(usageFrom(metadata)).toEqual(usage));
