import type { Preset } from './preset.js';
import { azure } from './presets/azure.js';
import { cerebras } from './presets/cerebras.js';
import { deepseek } from './presets/deepseek.js';
import { fireworks } from './presets/fireworks.js';
import { groq } from './presets/groq.js';
import { huggingface } from './presets/huggingface.js';
import { jina } from './presets/jina.js';
import { llamacpp } from './presets/llamacpp.js';
import { lmstudio } from './presets/lmstudio.js';
import { mistral } from './presets/mistral.js';
import { nvidia } from './presets/nvidia.js';
import { openai } from './presets/openai.js';
import { openrouter } from './presets/openrouter.js';
import { perplexity } from './presets/perplexity.js';
import { tei } from './presets/tei.js';
import { together } from './presets/together.js';
import { vllm } from './presets/vllm.js';
import { xai } from './presets/xai.js';

/**
 * Vendors of the OpenAI format that need an entry's type and key and nothing else. Facts of November 2026, from the
 * documents that each file names.
 */
export const presets: readonly Preset[] = [
  openai,
  azure,
  mistral,
  groq,
  together,
  fireworks,
  deepseek,
  xai,
  cerebras,
  perplexity,
  openrouter,
  nvidia,
  huggingface,
  jina,
  tei,
  vllm,
  llamacpp,
  lmstudio,
];
