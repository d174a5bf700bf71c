import { Module } from '@nestjs/common';
import { HttpTransport } from '../transport/http-transport.js';
import { AnthropicMessagesProtocol } from './anthropic-messages/anthropic-messages.protocol.js';
import { ChatCompletionsProtocol } from './chat-completions/chat-completions.protocol.js';
import { GeminiGenerateContentProtocol } from './gemini-generate-content/gemini-generate-content.protocol.js';
import { OpenAIResponsesProtocol } from './openai-responses/openai-responses.protocol.js';

const services = [
  HttpTransport,
  AnthropicMessagesProtocol,
  ChatCompletionsProtocol,
  GeminiGenerateContentProtocol,
  OpenAIResponsesProtocol,
];

/** Provider modules import it for the protocols and for the connections that these use. */
@Module({ providers: services, exports: services })
export class ProtocolsModule {}
