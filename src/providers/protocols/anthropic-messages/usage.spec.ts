import type { Usage } from '../../../wire/usage.js';
import type { JsonObject } from '../../../wire/json-object.js';
import { joinUsages } from '../join-usages.js';
import { usageFrom } from './usage.js';

const counted = (events: readonly JsonObject[]) => usageFrom(events.reduce((told, event) => joinUsages(told, event, 'last')));

it.each<[string, JsonObject[], Usage]>([
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
])('counts %s', (_name, events, usage) => expect(counted(events)).toEqual(usage));

it('counts fractions as the next whole token, and takes a later 0 for no correction', () => {
  const begun = { input_tokens: 1_000, output_tokens: 1, cache_creation_input_tokens: 9.5 };
  expect(counted([begun, { input_tokens: 0, output_tokens: 10 }])).toMatchObject({ prompt_tokens: 1_010, completion_tokens: 10 });
});
