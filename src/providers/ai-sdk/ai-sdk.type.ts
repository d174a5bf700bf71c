import * as z from 'zod';
import type { ProviderType } from '../../config/provider-type.js';

const aiSdkOptions = z.strictObject({
  package: z.string().min(1).describe('An AI SDK provider package, for example @ai-sdk/mistral, found from the folder of this file.'),
  export: z
    .string()
    .min(1)
    .optional()
    .describe('The function of the package that makes its provider, for example createMistral. Absent: its only one of that form.'),
  settings: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('Settings of that function beside apiKey, baseURL, headers and fetch, which the entry gives it.'),
  provider_options: z
    .record(z.string(), z.record(z.string(), z.unknown()))
    .default({})
    .describe('`providerOptions` of each call, by the vendor’s name, for example { openai: { store: false } }.'),
});

export type AiSdkOptions = z.infer<typeof aiSdkOptions>;

/** @throws ZodError */
export function aiSdkOptionsOf(options: unknown): AiSdkOptions {
  return aiSdkOptions.parse(options);
}

export const aiSdkType: ProviderType = {
  type: 'ai-sdk',
  name: 'AI SDK',
  options: aiSdkOptions,
  fileAlone: () => 'names a package: these come by the file alone',
  secretOptions: ['settings'],
};
