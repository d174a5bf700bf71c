import type {
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3StreamPart,
  LanguageModelV3GenerateResult,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4Content,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';

/** A model of a version of the AI SDK's interface that is spoken here, as far as it is used. */
export interface AiSdkModel {
  readonly specificationVersion: 'v4' | 'v3';
  readonly supportedUrls: PromiseLike<SupportedUrls> | SupportedUrls;
  doGenerate(options: VersionOptions): PromiseLike<WholeResult>;
  doStream(options: VersionOptions): PromiseLike<{ stream: ReadableStream<StreamPart> }>;
}

/** Addresses that a model's package passes on, by media types; any other is fetched by the AI SDK, and not here. */
export type SupportedUrls = Readonly<Record<string, readonly RegExp[]>>;

/** Options that are those of a model's own version: the two differ in the form of files. */
export type VersionOptions = LanguageModelV4CallOptions & LanguageModelV3CallOptions;

export type WholeResult = LanguageModelV4GenerateResult | LanguageModelV3GenerateResult;

/** A part of a streamed answer. */
export type StreamPart = LanguageModelV4StreamPart | LanguageModelV3StreamPart;

/** A part of an answer that is not streamed. */
export type Content = LanguageModelV4Content | LanguageModelV3Content;

/** What a package's `createVendor` function gives, as far as it is used. */
export interface AiSdkVendor {
  languageModel(modelId: string): AiSdkModel;
}

/** The names of settings that all such functions share. */
export interface AiSdkSettings {
  readonly apiKey?: string;
  readonly baseURL?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch;
  readonly [setting: string]: unknown;
}

export type CreateVendor = (settings: AiSdkSettings) => AiSdkVendor;
