/**
 * What a price may tell beside prompt and completion. A count is in one component alone: cached tokens are no longer
 * part of `prompt`, reasoning no longer part of `completion`. Each component is charged at its own rate, or, where the
 * price does not have it, at the first of its bases that the price has.
 */

/** Parts of a prompt, with their bases. In the order in which they stand in a prompt: what was cached comes first. */
export const inputComponents = {
  cached_input: [],
  cached_audio_input: ['audio_input', 'cached_input'],
  cache_write_5m: [],
  cache_write_1h: ['cache_write_5m'],
  file_input: [],
  image_input: [],
  video_input: ['image_input'],
  audio_input: [],
} as const;

/** Parts of an output, with their bases. */
export const outputComponents = {
  reasoning_output: [],
  citation_output: [],
  image_output: [],
  audio_output: [],
} as const;

/** What is counted by calls. It costs nothing where the price does not have it, and has no base. */
export const callComponents = { request: [], search: [], hosted_call: [] } as const;

/** All components with their bases. */
export const componentBases = { ...inputComponents, ...outputComponents, ...callComponents } as const;

export type InputComponent = keyof typeof inputComponents;
export type CallComponent = keyof typeof callComponents;
export type Component = keyof typeof componentBases;

export const componentNames = Object.keys(componentBases) as readonly Component[];
