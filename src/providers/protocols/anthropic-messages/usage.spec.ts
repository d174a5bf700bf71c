import type { Usage } from '../../../wire/usage.js';
import { UsageCount } from './usage.js';

it.each<[string, object[], Usage]>([
  [
    'the cache beside the input, by how long it is kept',
    [
      {
        input_tokens: 21,
        cache_creation_input_tokens: 556,
        cache_read_input_tokens: 1_000,
        cache_creation: { ephemeral_5m_input_tokens: 456, ephemeral_1h_input_tokens: 100 },
        output_tokens: 1,
      },
      { output_tokens: 393 },
    ],
    {
      prompt_tokens: 1_577,
      completion_tokens: 393,
      total_tokens: 1_970,
      prompt_tokens_details: {
        cached_tokens: 1_000,
        cache_creation_tokens: 556,
        cache_creation_token_details: { ephemeral_5m_input_tokens: 456, ephemeral_1h_input_tokens: 100 },
      },
    },
  ],
  [
    'more that is kept than was written',
    [{ input_tokens: 1, cache_creation_input_tokens: 2, cache_creation: { ephemeral_1h_input_tokens: 5 }, output_tokens: 1 }],
    {
      prompt_tokens: 6,
      completion_tokens: 1,
      total_tokens: 7,
      prompt_tokens_details: {
        cached_tokens: 0,
        cache_creation_tokens: 5,
        cache_creation_token_details: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 5 },
      },
    },
  ],
  [
    'searches',
    [{ input_tokens: 105, output_tokens: 9, server_tool_use: { web_search_requests: 2, web_fetch_requests: 0 } }],
    { prompt_tokens: 105, completion_tokens: 9, total_tokens: 114, server_tool_use: { web_search_requests: 2 } },
  ],
])('counts %s', (_name, events, usage) => {
  const count = new UsageCount();
  for (const event of events) count.see(event);
  expect(count.usage).toEqual(usage);
});

it('counts fractions as the next whole token, and takes a later 0 for no correction', () => {
  const count = new UsageCount();
  count.see({ input_tokens: 1_000, output_tokens: 1, cache_creation_input_tokens: 9.5 });
  count.see({ input_tokens: 0, output_tokens: 10 });
  expect(count.usage).toMatchObject({ prompt_tokens: 1_010, completion_tokens: 10 });
});
