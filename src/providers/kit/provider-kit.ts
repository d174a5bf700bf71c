/**
 * What a module outside the gateway imports as `@switchyard-gateway/switchyard/provider`. Nothing inside imports it.
 */
import 'reflect-metadata';
export type { ProviderConfig } from '../../config/provider.schema.js';
export type { OptionsSchema } from '../../config/options-schema.js';
export type { ProviderType } from '../../config/provider-type.js';
export type { Delta, FinishReason, Message, Tool, ToolCall } from '../../wire/chat-completion.js';
export type {
  ChatGenerationRequest,
  CompletionGenerationRequest,
  GenerationChoice,
  GenerationChunk,
  GenerationRequest,
} from '../../wire/generation.js';
export type { Embedding, EmbeddingAnswer, EmbeddingRequest } from '../../wire/embedding.js';
export type { RerankAnswer, RerankRequest } from '../../wire/rerank.js';
export { isObject as isJson } from '../../wire/json-object.js';
export type { Abilities, Capabilities } from '../../wire/model.js';
export { type Usage, usageOf } from '../../wire/usage.js';
export {
  type EmbeddingLimits,
  type Flow,
  ModelProvider,
  type ProviderCall,
  type ProviderModel,
  type ProviderPrice,
} from '../contract/model-provider.js';
export { reportProofs } from '../contract/carried-proofs.js';
export { type KnownModel, offeredModel, offeredModels } from '../contract/offered-models.js';
export { type Parameter, spokenBy } from '../contract/parameters.js';
export { AnthropicMessagesProtocol } from '../protocols/anthropic-messages/anthropic-messages.protocol.js';
export { type ChatCompletionsDialect, ChatCompletionsProtocol } from '../protocols/chat-completions/chat-completions.protocol.js';
export { configuredEndpoint, type Endpoint, type RequestParts, requestTo } from '../protocols/endpoint.js';
export { fetchList, probeList } from '../protocols/fetch-list.js';
export { GeminiGenerateContentProtocol } from '../protocols/gemini-generate-content/gemini-generate-content.protocol.js';
export type { RerankForm } from '../protocols/rerank-form.js';
export { inBandError, upstreamError } from '../protocols/upstream-error.js';
export { type VendorError, vendorError } from '../protocols/vendor-error.js';
export { ModelFactsService } from '../model-facts/model-facts.service.js';
export type { Dataset, ModelFacts } from '../model-facts/model-facts.js';
export { isProviderError, ProviderError, type ProviderErrorKind } from '../contract/provider-error.js';
export type { RequestRules } from '../contract/request-rules.js';
export { ProviderFactory } from './provider-factory.js';
export { ProviderServicesModule } from './provider-services.module.js';
export { type ConfigWith, type ProviderModule, type ProviderModuleDefinition, providerModule } from './provider-module.js';
export type { ProviderLogger } from './provider-logger.js';
export type { ProviderMetrics } from './provider-metrics.js';
export type { ProviderServices } from './provider-services.js';
export { HttpTransport } from '../transport/http-transport.js';
export type { ServerSentEvent } from '../transport/event-stream-parser.js';
export type { Sign, SignableRequest, UpstreamRequest } from '../transport/upstream-request.js';
export type { Refusal, UpstreamResponse } from '../transport/upstream-response.js';
