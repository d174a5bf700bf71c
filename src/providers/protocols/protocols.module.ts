import { Module } from '@nestjs/common';
import { HttpTransport } from '../transport/http-transport.js';
import { AnthropicMessagesProtocol } from './anthropic-messages/anthropic-messages.protocol.js';
import { ChatCompletionsProtocol } from './chat-completions/chat-completions.protocol.js';
import { GeminiGenerateContentProtocol } from './gemini-generate-content/gemini-generate-content.protocol.js';

const services = [HttpTransport, AnthropicMessagesProtocol, ChatCompletionsProtocol, GeminiGenerateContentProtocol];

/** What provider modules import: the wire formats, and the connections they run on. */
@Module({ providers: services, exports: services })
export class ProtocolsModule {}
