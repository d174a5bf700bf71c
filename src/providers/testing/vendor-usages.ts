/** A usage as a vendor documents it, or as a recording has it, and what the vendor charges for it. */
export interface VendorUsage {
  readonly name: string;
  readonly format: Format;
  readonly price: VendorPrice;
  readonly usage: object;
  /** How the charge was computed by hand, in dollars for a million tokens or, with `/ 1k`, a thousand calls. */
  readonly sum: string;
  /** US dollars that the vendor says it has charged, in the same answer. */
  readonly reported: string | undefined;
}

/** Whose usage object it is. */
type Format = 'openai' | 'anthropic' | 'gemini' | 'bedrock' | 'cohere' | 'ollama';

/** US dollars for a million tokens, or a thousand calls, by component. */
type Quote = Readonly<Record<string, number>>;

interface VendorPrice {
  readonly quote: Quote;
  readonly tiers?: readonly (Quote & { readonly above: number })[];
  /** By the vendor's name of the tier. */
  readonly serviceTiers?: Readonly<Record<string, Quote>>;
  /** In UTC, as `01:00-04:00`. */
  readonly hours?: Readonly<Record<string, Quote>>;
  /** When the request began; in an hour at which nothing is dearer unless it says so. */
  readonly at?: string;
}

type Row = readonly [name: string, usage: object, sum: string, reported?: string];

const of = (format: Format, price: VendorPrice, rows: readonly Row[]): VendorUsage[] =>
  rows.map(([name, usage, sum, reported]) => ({ name, format, price, usage, sum, reported }));

const openai = (prompt_tokens: number, completion_tokens: number, more: object = {}) => ({
  prompt_tokens,
  completion_tokens,
  total_tokens: prompt_tokens + completion_tokens,
  ...more,
});

const gemini = (promptTokenCount: number, candidatesTokenCount: number, more: Readonly<Record<string, unknown>> = {}) => {
  const { thoughtsTokenCount = 0, toolUsePromptTokenCount = 0 } = more as Record<string, number>;
  const totalTokenCount = promptTokenCount + candidatesTokenCount + thoughtsTokenCount + toolUsePromptTokenCount;
  return { promptTokenCount, candidatesTokenCount, totalTokenCount, ...more };
};
const by = (counts: Readonly<Record<string, number>>) => Object.entries(counts).map(([modality, tokenCount]) => ({ modality, tokenCount }));

/**
 * From platform.openai.com/docs (prompt caching, reasoning, audio, predicted outputs), api-docs.deepseek.com,
 * console.groq.com/docs, docs.mistral.ai, docs.x.ai, openrouter.ai/docs, docs.perplexity.ai (pricing),
 * platform.claude.com/docs (prompt caching, web search, long context), ai.google.dev (caching, thinking, pricing),
 * cloud.google.com/vertex-ai, docs.aws.amazon.com (Converse, prompt caching), docs.cohere.com (pricing), and from
 * recordings of these vendors. A few have other numbers than the vendor's example; members that say nothing of the
 * charge are left out.
 */
export const vendorUsages: readonly VendorUsage[] = [
  ...of(
    'openai',
    {
      quote: { prompt: 1.25, completion: 10, cached_input: 0.125 },
      serviceTiers: {
        flex: { prompt: 0.625, completion: 5, cached_input: 0.0625 },
        priority: { prompt: 2.5, completion: 20, cached_input: 0.25 },
      },
    },
    [
      [
        'OpenAI, flex processing',
        openai(2_006, 300, { prompt_tokens_details: { cached_tokens: 1_920 }, service_tier: 'flex' }),
        '86 x 0.625 + 1920 x 0.0625 + 300 x 5',
      ],
    ],
  ),
  ...of(
    'openai',
    {
      quote: { prompt: 1.25, completion: 10, cached_input: 0.125 },
      serviceTiers: { priority: { prompt: 2.5, completion: 20, cached_input: 0.25 } },
    },
    [
      [
        'OpenAI, priority processing that was answered at the standard tier',
        openai(100, 20, { service_tier: 'default' }),
        '100 x 1.25 + 20 x 10',
      ],
    ],
  ),
  ...of('gemini', { quote: { prompt: 0.3, completion: 2.5 }, serviceTiers: { flex: { prompt: 0.15, completion: 1.25 } } }, [
    [
      'Gemini, flex inference at half of the price',
      gemini(70, 40, { thoughtsTokenCount: 61, serviceTier: 'flex' }),
      '70 x 0.15 + 101 x 1.25',
    ],
  ]),
  ...of(
    'openai',
    {
      quote: { prompt: 0.22, completion: 0.66, cached_input: 0.007 },
      hours: {
        '01:00-04:00': { prompt: 0.44, completion: 1.32, cached_input: 0.014 },
        '06:00-10:00': { prompt: 0.44, completion: 1.32, cached_input: 0.014 },
      },
      at: '2026-11-23T06:00:00Z',
    },
    [
      [
        'DeepSeek, in its dear hours',
        openai(563, 116, { prompt_cache_hit_tokens: 512, prompt_cache_miss_tokens: 51 }),
        '51 x 0.44 + 512 x 0.014 + 116 x 1.32',
      ],
    ],
  ),
  ...of(
    'openai',
    {
      quote: { prompt: 0.22, completion: 0.66, cached_input: 0.007 },
      hours: { '06:00-10:00': { prompt: 0.44, completion: 1.32, cached_input: 0.014 } },
      at: '2026-11-23T10:00:00Z',
    },
    [
      [
        'DeepSeek, at the end of its dear hours',
        openai(563, 116, { prompt_cache_hit_tokens: 512, prompt_cache_miss_tokens: 51 }),
        '51 x 0.22 + 512 x 0.007 + 116 x 0.66',
      ],
    ],
  ),
  ...of('openai', { quote: { prompt: 2.5, completion: 10, cached_input: 1.25 } }, [
    [
      'OpenAI, a prompt that was cached',
      openai(2_006, 300, { prompt_tokens_details: { cached_tokens: 1_920 } }),
      '86 x 2.5 + 1920 x 1.25 + 300 x 10',
    ],
    [
      'OpenAI, predicted output: what was rejected is inside the completion',
      openai(206, 123, { completion_tokens_details: { accepted_prediction_tokens: 55, rejected_prediction_tokens: 20 } }),
      '206 x 2.5 + 123 x 10',
    ],
  ]),
  ...of('openai', { quote: { prompt: 0.15, completion: 0.6, cached_input: 0.075 } }, [
    [
      'OpenAI, nothing cached',
      openai(19, 10, {
        prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
      }),
      '19 x 0.15 + 10 x 0.6',
    ],
    ['OpenAI, no details', openai(10, 12), '10 x 0.15 + 12 x 0.6'],
    ['Groq, reasoning', openai(301, 52, { completion_tokens_details: { reasoning_tokens: 22 } }), '301 x 0.15 + 52 x 0.6'],
    ['Groq, cached', openai(4_641, 1_817, { prompt_tokens_details: { cached_tokens: 4_608 } }), '33 x 0.15 + 4608 x 0.075 + 1817 x 0.6'],
  ]),
  ...of('openai', { quote: { prompt: 2, completion: 8, cached_input: 0.5 } }, [
    [
      'OpenAI, reasoning inside the completion',
      openai(75, 1_186, { completion_tokens_details: { reasoning_tokens: 1_024 } }),
      '75 x 2 + 1186 x 8',
    ],
  ]),
  ...of('openai', { quote: { prompt: 0.25, completion: 2, cached_input: 0.025 } }, [
    ['OpenAI, reasoning alone', openai(13, 50, { completion_tokens_details: { reasoning_tokens: 50 } }), '13 x 0.25 + 50 x 2'],
  ]),
  ...of('openai', { quote: { prompt: 0.15, completion: 0.6, audio_input: 10, audio_output: 20 } }, [
    ['OpenAI, an answer with audio', openai(22, 18, { completion_tokens_details: { audio_tokens: 12 } }), '22 x 0.15 + 6 x 0.6 + 12 x 20'],
  ]),
  ...of('openai', { quote: { prompt: 2.5, completion: 10, audio_input: 32, audio_output: 64 } }, [
    [
      'OpenAI, a question with audio',
      openai(118, 60, { prompt_tokens_details: { audio_tokens: 100 }, completion_tokens_details: { audio_tokens: 45 } }),
      '18 x 2.5 + 100 x 32 + 15 x 10 + 45 x 64',
    ],
  ]),
  ...of('openai', { quote: { prompt: 4, completion: 16, cached_input: 0.4, audio_input: 32, cached_audio_input: 0.4, audio_output: 64 } }, [
    [
      'OpenAI, cached audio at the price of its own',
      openai(256, 80, {
        prompt_tokens_details: { audio_tokens: 137, cached_tokens: 192, cached_tokens_details: { audio_tokens: 96 } },
        completion_tokens_details: { audio_tokens: 60 },
      }),
      '23 x 4 + 96 x 0.4 + 41 x 32 + 96 x 0.4 + 20 x 16 + 60 x 64',
    ],
  ]),
  ...of('openai', { quote: { prompt: 2, completion: 2 } }, [['OpenAI, a legacy completion', openai(8, 16), '8 x 2 + 16 x 2']]),
  ...of('openai', { quote: { prompt: 0.28, completion: 0.42, cached_input: 0.028 } }, [
    [
      'DeepSeek, hit and miss',
      openai(563, 116, {
        completion_tokens_details: { reasoning_tokens: 60 },
        prompt_cache_hit_tokens: 512,
        prompt_cache_miss_tokens: 51,
        prompt_tokens_details: { cached_tokens: 512 },
      }),
      '51 x 0.28 + 512 x 0.028 + 116 x 0.42',
    ],
    [
      'DeepSeek, hit and miss without details',
      openai(563, 116, { prompt_cache_hit_tokens: 512, prompt_cache_miss_tokens: 51 }),
      '51 x 0.28 + 512 x 0.028 + 116 x 0.42',
    ],
    [
      'DeepSeek, a miss',
      openai(6, 212, { completion_tokens_details: { reasoning_tokens: 198 }, prompt_cache_miss_tokens: 6 }),
      '6 x 0.28 + 212 x 0.42',
    ],
  ]),
  ...of('openai', { quote: { prompt: 0.6, completion: 2.5, cached_input: 0.15 } }, [
    ['Moonshot, cached beside the details', openai(1_200, 40, { cached_tokens: 1_024 }), '176 x 0.6 + 1024 x 0.15 + 40 x 2.5'],
  ]),
  ...of('openai', { quote: { prompt: 0.6, completion: 2.2, cached_input: 0.11 } }, [
    [
      'Z.ai',
      openai(214, 54, { completion_tokens_details: { reasoning_tokens: 20 }, prompt_tokens_details: { cached_tokens: 64 } }),
      '150 x 0.6 + 64 x 0.11 + 54 x 2.2',
    ],
  ]),
  ...of('openai', { quote: { prompt: 0.1, completion: 0.3 } }, [
    ['Mistral', openai(227, 36, { service_tier: 'standard' }), '227 x 0.1 + 36 x 0.3'],
  ]),
  ...of('openai', { quote: { prompt: 0.4, completion: 2, cached_input: 0.04 } }, [
    ['Mistral, cached', openai(1_500, 40, { prompt_tokens_details: { cached_tokens: 1_024 } }), '476 x 0.4 + 1024 x 0.04 + 40 x 2'],
  ]),
  ...of('openai', { quote: { prompt: 0.3, completion: 0.5, cached_input: 0.075 } }, [
    [
      'xAI, reasoning beside the completion; it tells the cost in 10^-10 dollars',
      {
        prompt_tokens: 12,
        completion_tokens: 1,
        total_tokens: 241,
        prompt_tokens_details: { cached_tokens: 2 },
        completion_tokens_details: { reasoning_tokens: 228 },
        cost_in_usd_ticks: 1_176_500,
      },
      '10 x 0.3 + 2 x 0.075 + 229 x 0.5',
      '0.00011765',
    ],
    [
      'xAI, reasoning beside the completion, in an early form',
      {
        prompt_tokens: 32,
        completion_tokens: 9,
        total_tokens: 135,
        prompt_tokens_details: { cached_tokens: 6 },
        completion_tokens_details: { reasoning_tokens: 94 },
      },
      '26 x 0.3 + 6 x 0.075 + 103 x 0.5',
    ],
  ]),
  ...of('openai', { quote: { prompt: 3, completion: 15, cached_input: 0.75 } }, [
    [
      'xAI, cached',
      openai(686, 123, { prompt_tokens_details: { cached_tokens: 679 }, completion_tokens_details: { reasoning_tokens: 112 } }),
      '7 x 3 + 679 x 0.75 + 123 x 15',
    ],
  ]),
  ...of('openai', { quote: { prompt: 0.2, completion: 0.5, cached_input: 0.05 } }, [
    [
      'xAI at Azure, more cached than there was',
      openai(293, 58, { prompt_tokens_details: { cached_tokens: 387 } }),
      '293 x 0.05 + 58 x 0.5',
    ],
  ]),
  ...of('openai', { quote: { prompt: 5, completion: 25, cached_input: 0.5 } }, [
    [
      'a server that counts the cache beside the prompt, by its total',
      { prompt_tokens: 1_000, completion_tokens: 200, total_tokens: 96_200, prompt_tokens_details: { cached_tokens: 95_000 } },
      '1000 x 5 + 95000 x 0.5 + 200 x 25',
    ],
    [
      'a server that must, without a total',
      { prompt_tokens: 1_000, completion_tokens: 200, prompt_tokens_details: { cached_tokens: 95_000 } },
      '1000 x 5 + 95000 x 0.5 + 200 x 25',
    ],
  ]),
  ...of('openai', { quote: { prompt: 3, completion: 15, cached_input: 0.3, cache_write_5m: 3.75 } }, [
    [
      'OpenRouter, a cache write; it tells the cost',
      openai(2_572, 63, { cost: 0.01058775, prompt_tokens_details: { cache_write_tokens: 2_569 } }),
      '3 x 3 + 2569 x 3.75 + 63 x 15',
      '0.01058775',
    ],
    [
      'OpenRouter, read and write; it tells the cost',
      openai(2_572, 100, { cost: 0.00341475, prompt_tokens_details: { cached_tokens: 2_240, cache_write_tokens: 329 } }),
      '3 x 3 + 2240 x 0.3 + 329 x 3.75 + 100 x 15',
      '0.00341475',
    ],
    ['OpenRouter, a short answer; it tells the cost', openai(254, 5, { cost: 0.000837 }), '254 x 3 + 5 x 15', '0.000837'],
  ]),
  ...of('openai', { quote: { prompt: 1, completion: 5, cached_input: 0.1, cache_write_5m: 1.25 } }, [
    [
      'OpenRouter, reasoning; it tells the cost',
      openai(626, 106, { cost: 0.001156, completion_tokens_details: { reasoning_tokens: 54 } }),
      '626 x 1 + 106 x 5',
      '0.001156',
    ],
    ['OpenRouter, a long answer; it tells the cost', openai(633, 143, { cost: 0.001348 }), '633 x 1 + 143 x 5', '0.001348'],
  ]),
  ...of('openai', { quote: { prompt: 0.3, completion: 2.5, cached_input: 0.03 } }, [
    ['OpenRouter, another vendor; it tells the cost', openai(27, 3, { cost: 0.0000156 }), '27 x 0.3 + 3 x 2.5', '0.0000156'],
  ]),
  ...of('openai', { quote: { prompt: 1, completion: 1, request: 5 } }, [
    ['Perplexity, a fee for the request', openai(8, 5), '8 x 1 + 5 x 1 + 1 x 5 / 1k'],
  ]),
  ...of('openai', { quote: { prompt: 2, completion: 8, citation_output: 2, reasoning_output: 3, search: 5 } }, [
    [
      'Perplexity, research: sources, reasoning and searches beside the totals',
      openai(33, 7_163, { citation_tokens: 20_016, num_search_queries: 18, reasoning_tokens: 73_997 }),
      '33 x 2 + 7163 x 8 + 20016 x 2 + 73997 x 3 + 18 x 5 / 1k',
    ],
  ]),
  ...of('openai', { quote: { prompt: 1, completion: 2, reasoning_output: 3 } }, [
    ['a total that nothing explains', { prompt_tokens: 10, completion_tokens: 10, total_tokens: 30 }, '10 x 1 + 10 x 2 + 10 x 3'],
  ]),
  ...of('anthropic', { quote: { prompt: 3, completion: 15, cached_input: 0.3, cache_write_5m: 3.75, cache_write_1h: 6, search: 10 } }, [
    ['Anthropic, a plain answer', { input_tokens: 2_095, output_tokens: 503 }, '2095 x 3 + 503 x 15'],
    [
      'Anthropic, a cache write',
      { input_tokens: 21, cache_creation_input_tokens: 188_086, output_tokens: 393 },
      '21 x 3 + 188086 x 3.75 + 393 x 15',
    ],
    [
      'Anthropic, a cache read',
      { input_tokens: 21, cache_read_input_tokens: 188_086, output_tokens: 393 },
      '21 x 3 + 188086 x 0.3 + 393 x 15',
    ],
    [
      'Anthropic, both cache writes',
      {
        input_tokens: 2_048,
        cache_read_input_tokens: 1_800,
        cache_creation_input_tokens: 248,
        output_tokens: 503,
        cache_creation: { ephemeral_5m_input_tokens: 148, ephemeral_1h_input_tokens: 100 },
      },
      '2048 x 3 + 1800 x 0.3 + 148 x 3.75 + 100 x 6 + 503 x 15',
    ],
    [
      'Anthropic, a search',
      {
        input_tokens: 105,
        output_tokens: 6_039,
        cache_read_input_tokens: 7_123,
        cache_creation_input_tokens: 7_345,
        server_tool_use: { web_search_requests: 1 },
      },
      '105 x 3 + 7123 x 0.3 + 7345 x 3.75 + 6039 x 15 + 1 x 10 / 1k',
    ],
    [
      'Anthropic, thinking inside the output',
      { input_tokens: 43, output_tokens: 360, output_tokens_details: { thinking_tokens: 300 } },
      '43 x 3 + 360 x 15',
    ],
  ]),
  ...of(
    'anthropic',
    {
      quote: { prompt: 3, completion: 15, cached_input: 0.3, cache_write_5m: 3.75, cache_write_1h: 6, search: 10 },
      tiers: [{ above: 200_000, prompt: 6, completion: 22.5, cached_input: 0.6, cache_write_5m: 7.5, cache_write_1h: 12 }],
    },
    [
      [
        'Anthropic, a long prompt, most of it cached: all of it counts for the tier',
        { input_tokens: 1_000, cache_read_input_tokens: 250_000, output_tokens: 100 },
        '1000 x 6 + 250000 x 0.6 + 100 x 22.5',
      ],
      [
        'Anthropic, a prompt just below the tier',
        { input_tokens: 1_000, cache_creation_input_tokens: 1_000, cache_read_input_tokens: 198_000, output_tokens: 100 },
        '1000 x 3 + 1000 x 3.75 + 198000 x 0.3 + 100 x 15',
      ],
    ],
  ),
  ...of('gemini', { quote: { prompt: 0.3, completion: 2.5, cached_input: 0.03, audio_input: 1, cached_audio_input: 0.1 } }, [
    ['Gemini, thoughts beside candidates', gemini(70, 40, { thoughtsTokenCount: 61 }), '70 x 0.3 + 101 x 2.5'],
    ['Gemini, mostly thoughts', gemini(30, 1, { thoughtsTokenCount: 2_306 }), '30 x 0.3 + 2307 x 2.5'],
    ['Gemini, audio', gemini(1_920, 20, { promptTokensDetails: by({ AUDIO: 1_900, TEXT: 20 }) }), '20 x 0.3 + 1900 x 1 + 20 x 2.5'],
    [
      'Gemini, cached audio',
      gemini(1_920, 20, {
        cachedContentTokenCount: 1_500,
        promptTokensDetails: by({ AUDIO: 1_900, TEXT: 20 }),
        cacheTokensDetails: by({ AUDIO: 1_500 }),
      }),
      '20 x 0.3 + 400 x 1 + 1500 x 0.1 + 20 x 2.5',
    ],
    [
      'Gemini, an image and a page in the prompt, without prices of their own',
      gemini(560, 5, { promptTokensDetails: by({ TEXT: 44, IMAGE: 258, DOCUMENT: 258 }) }),
      '560 x 0.3 + 5 x 2.5',
    ],
    ['Vertex, with its kind of traffic', gemini(7, 5, { trafficType: 'ON_DEMAND', thoughtsTokenCount: 21 }), '7 x 0.3 + 26 x 2.5'],
    [
      'Vertex, a cached context and provisioned throughput',
      gemini(5_000, 100, { cachedContentTokenCount: 4_000, trafficType: 'PROVISIONED_THROUGHPUT' }),
      '1000 x 0.3 + 4000 x 0.03 + 100 x 2.5',
    ],
  ]),
  ...of('gemini', { quote: { prompt: 1.25, completion: 10, cached_input: 0.125 } }, [
    [
      'Gemini, prompts of tools beside the prompt',
      gemini(33, 210, { toolUsePromptTokenCount: 9_200, thoughtsTokenCount: 155 }),
      '9233 x 1.25 + 365 x 10',
    ],
    [
      'Gemini, cached content inside the prompt',
      gemini(43_130, 64, { cachedContentTokenCount: 42_116 }),
      '1014 x 1.25 + 42116 x 0.125 + 64 x 10',
    ],
  ]),
  ...of(
    'gemini',
    {
      quote: { prompt: 1.25, completion: 10, cached_input: 0.125 },
      tiers: [{ above: 200_000, prompt: 2.5, completion: 15, cached_input: 0.25 }],
    },
    [
      ['Gemini, a prompt above the tier', gemini(250_000, 1_000, { thoughtsTokenCount: 500 }), '250000 x 2.5 + 1500 x 15'],
      [
        'Gemini, a cached prompt above the tier',
        gemini(300_000, 10, { cachedContentTokenCount: 280_000 }),
        '20000 x 2.5 + 280000 x 0.25 + 10 x 15',
      ],
      ['Gemini, a prompt at the tier', gemini(200_000, 10), '200000 x 1.25 + 10 x 10'],
    ],
  ),
  ...of('gemini', { quote: { prompt: 0.3, completion: 2.5, image_output: 30 } }, [
    [
      'Gemini, an image as the answer',
      gemini(12, 1_298, { candidatesTokensDetails: by({ IMAGE: 1_290 }) }),
      '12 x 0.3 + 8 x 2.5 + 1290 x 30',
    ],
  ]),
  ...of('anthropic', { quote: { prompt: 3, completion: 15, cached_input: 0.3, cache_write_5m: 3.75, cache_write_1h: 6 } }, [
    [
      'Vertex, Claude with both directions of the cache',
      {
        input_tokens: 3,
        cache_creation_input_tokens: 1_500,
        cache_read_input_tokens: 2_000,
        cache_creation: { ephemeral_5m_input_tokens: 1_500 },
        output_tokens: 50,
      },
      '3 x 3 + 1500 x 3.75 + 2000 x 0.3 + 50 x 15',
    ],
  ]),
  ...of('bedrock', { quote: { prompt: 0.8, completion: 3.2, cached_input: 0.2 } }, [
    ['Bedrock, without a cache', { inputTokens: 125, outputTokens: 60, totalTokens: 185 }, '125 x 0.8 + 60 x 3.2'],
  ]),
  ...of('bedrock', { quote: { prompt: 3, completion: 15, cached_input: 0.3, cache_write_5m: 3.75, cache_write_1h: 6 } }, [
    [
      'Bedrock, a cache written',
      {
        inputTokens: 12,
        outputTokens: 200,
        totalTokens: 2_260,
        cacheWriteInputTokens: 2_048,
        cacheDetails: [{ ttl: '5m', inputTokens: 2_048 }],
      },
      '12 x 3 + 2048 x 3.75 + 200 x 15',
    ],
    [
      'Bedrock, a cache read',
      { inputTokens: 20, outputTokens: 100, totalTokens: 2_168, cacheReadInputTokens: 2_048, cacheDetails: [] },
      '20 x 3 + 2048 x 0.3 + 100 x 15',
    ],
    [
      'Bedrock, caches written for an hour and for five minutes',
      {
        inputTokens: 10,
        outputTokens: 10,
        totalTokens: 3_020,
        cacheWriteInputTokens: 3_000,
        cacheDetails: [
          { ttl: '1h', inputTokens: 1_000 },
          { ttl: '5m', inputTokens: 2_000 },
        ],
      },
      '10 x 3 + 1000 x 6 + 2000 x 3.75 + 10 x 15',
    ],
  ]),
  ...of('cohere', { quote: { prompt: 2.5, completion: 10, cached_input: 0.25 } }, [
    [
      'Cohere, which bills less than the model reads, and nothing of what was cached',
      { billed_units: { input_tokens: 37, output_tokens: 28 }, tokens: { input_tokens: 1_435, output_tokens: 58 }, cached_tokens: 992 },
      '37 x 2.5 + 28 x 10',
    ],
    [
      'Cohere, a conversation whose beginning was cached with the instructions before it',
      { billed_units: { input_tokens: 181, output_tokens: 34 }, tokens: { input_tokens: 1_698, output_tokens: 66 }, cached_tokens: 1_616 },
      '82 x 2.5 + 99 x 0.25 + 34 x 10',
    ],
  ]),
  ...of('ollama', { quote: { prompt: 0.5, completion: 1.5, cached_input: 0.05 } }, [
    [
      'Ollama, of whose prompt a part was cached',
      { prompt_eval_count: 900, prompt_eval_cached_count: 850, eval_count: 40 },
      '50 x 0.5 + 850 x 0.05 + 40 x 1.5',
    ],
  ]),
  ...of('ollama', { quote: { prompt: 0.5, completion: 1.5 } }, [
    ['Ollama, thoughts and a tool call, all of which is output', { prompt_eval_count: 310, eval_count: 145 }, '310 x 0.5 + 145 x 1.5'],
  ]),
];
