/**
 * What a module outside the gateway imports as `@switchyard-gateway/switchyard/provider`. Nothing inside imports it.
 */
import 'reflect-metadata';
export type { ProviderConfig } from '../config/config.schema.js';
export { ConfigService } from '../config/config.service.js';
export type { OptionsSchema } from '../config/options-schema.js';
export type { ProviderType } from '../config/provider-type.js';
export type { Delta, FinishReason, Message, Tool, ToolCall } from '../wire/chat-completion.js';
export type {
  ChatGenerationRequest,
  CompletionGenerationRequest,
  GenerationChoice,
  GenerationChunk,
  GenerationRequest,
} from '../wire/generation.js';
export type { Embedding, EmbeddingAnswer, EmbeddingInput, EmbeddingRequest, EncodingFormat } from '../wire/embedding.js';
export { isObject as isJson, type JsonObject as Json } from '../wire/json-object.js';
export type { Capabilities } from '../wire/model.js';
export { type Usage, usageOf } from '../wire/usage.js';
export {
  type EmbeddingLimits,
  type Flow,
  ModelProvider,
  type ProviderCall,
  type ProviderModel,
  type ProviderPrice,
} from './model-provider.js';
export { reportProofs } from './carried-proofs.js';
export { type KnownModel, offeredModel, offeredModels } from './offered-models.js';
export { ANY_OTHER, type Parameter, spokenBy } from './parameters.js';
export { AnthropicMessagesProtocol } from './protocols/anthropic-messages/anthropic-messages.protocol.js';
export { type ChatCompletionsDialect, ChatCompletionsProtocol } from './protocols/chat-completions/chat-completions.protocol.js';
export { configuredEndpoint, type Endpoint, pathOf, type RequestParts, requestTo } from './protocols/endpoint.js';
export { fetchList, probeList } from './protocols/fetch-list.js';
export { GeminiGenerateContentProtocol } from './protocols/gemini-generate-content/gemini-generate-content.protocol.js';
export { isText } from './protocols/is-text.js';
export { inBandError, upstreamError, type UpstreamFailure } from './protocols/upstream-error.js';
export { vendorError } from './protocols/vendor-error.js';
export { ModelFactsService } from './model-facts/model-facts.service.js';
export type { Dataset, ModelFacts } from './model-facts/model-facts.js';
export { isProviderError, ProviderError, type ProviderErrorKind } from './provider-error.js';
export type { NameRule, RequestRules, ToolSchemaRule } from './request-rules.js';
export { ProviderFactory } from './provider-factory.js';
export { ProviderServicesModule } from './provider-services.module.js';
export {
  type ConfigWith,
  type ProviderModule,
  type ProviderModuleDefinition,
  type ProviderNestModule,
  providerModule,
} from './provider-module.js';
export type { ProviderLogger } from './provider-logger.js';
export type { ProviderMetrics } from './provider-metrics.js';
export type { ProviderServices, ProviderTransport } from './provider-services.js';
export { HttpTransport } from './transport/http-transport.js';
export { MAX_ERROR_BYTES } from './transport/body-limits.js';
export type { ServerSentEvent } from './transport/event-stream-parser.js';
export type { Reach, Sign, SignableRequest, Timeouts, UpstreamRequest } from './transport/upstream-request.js';
export type { Refusal, UpstreamResponse } from './transport/upstream-response.js';
