import type { createMistral } from '@ai-sdk/mistral';
import type { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';
import type { AiSdkModel, AiSdkSettings, AiSdkVendor } from './wire.js';

/** A type that is assignable to another; compiling it is the check. */
type Assignable<From extends To, To> = From;

type Checks = [
  Assignable<LanguageModelV4, AiSdkModel>,
  Assignable<LanguageModelV3, AiSdkModel>,
  Assignable<ReturnType<typeof createMistral>, AiSdkVendor>,
  Assignable<ReturnType<typeof createOpenAI>, AiSdkVendor>,
  Assignable<Pick<AiSdkSettings, 'apiKey' | 'baseURL' | 'headers' | 'fetch'>, NonNullable<Parameters<typeof createMistral>[0]>>,
  Assignable<Pick<AiSdkSettings, 'apiKey' | 'baseURL' | 'headers' | 'fetch'>, NonNullable<Parameters<typeof createOpenAI>[0]>>,
];

it('the AI SDK’s types are those that are used here', () => {
  const checked: Checks | undefined = undefined;
  expect(checked).toBeUndefined();
});
