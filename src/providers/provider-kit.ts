/** What a module outside the gateway imports as `switchyard/provider`. Nothing inside imports it. */
import 'reflect-metadata';
export type { ProviderConfig } from '../config/config.schema.js';
export type { ProviderType } from '../config/provider-type.js';
export type { Delta, FinishReason, Message, Tool, ToolCall } from '../wire/chat-completion.js';
export type {
  ChatGenerationRequest,
  CompletionGenerationRequest,
  GenerationChoice,
  GenerationChunk,
  GenerationRequest,
} from '../wire/generation.js';
export { isObject as isJson, type JsonObject as Json } from '../wire/json-object.js';
export type { Capabilities } from '../wire/model.js';
export { type Usage, usageOf } from '../wire/usage.js';
export { type Flow, ModelProvider, type ProviderCall, type ProviderModel, type ProviderPrice } from './model-provider.js';
export { type KnownModel, offeredModel, offeredModels } from './offered-models.js';
export { ANY_OTHER, type Parameter, spokenBy } from './parameters.js';
export type { AnthropicMessagesProtocol } from './protocols/anthropic-messages/anthropic-messages.protocol.js';
export type { ChatCompletionsDialect, ChatCompletionsProtocol } from './protocols/chat-completions/chat-completions.protocol.js';
export { configuredEndpoint, type Endpoint, pathOf } from './protocols/endpoint.js';
export { fetchList, probeList } from './protocols/fetch-list.js';
export type { GeminiGenerateContentProtocol } from './protocols/gemini-generate-content/gemini-generate-content.protocol.js';
export { isText } from './protocols/is-text.js';
export { inBandError, MAX_ERROR_BYTES, upstreamError } from './protocols/upstream-error.js';
export { vendorError } from './protocols/vendor-error.js';
export { isProviderError, ProviderError, type ProviderErrorKind } from './provider-error.js';
export { type ProviderModule, type ProviderModuleDefinition, providerModule } from './provider-module.js';
export type { ProviderServices } from './provider-services.js';
export type { HttpTransport } from './transport/http-transport.js';
export type { UpstreamRequest } from './transport/upstream-request.js';
export type { UpstreamResponse } from './transport/upstream-response.js';
