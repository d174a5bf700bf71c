import { AnthropicMessagesProtocol } from '../protocols/anthropic-messages/anthropic-messages.protocol.js';
import { GeminiGenerateContentProtocol } from '../protocols/gemini-generate-content/gemini-generate-content.protocol.js';
import { describeRecordings } from '../testing/describe-recordings.js';
import { suiteEntry } from '../testing/suite-entry.js';
import type { HttpTransport } from '../transport/http-transport.js';
import { VertexProvider } from './vertex.provider.js';

function create(origin: string, transport: HttpTransport): VertexProvider {
  const { config, services } = suiteEntry(origin, { type: 'vertex', options: { project: 'harbour-1', location: 'global' } });
  const geminiGenerateContent = new GeminiGenerateContentProtocol(transport);
  const anthropicMessages = new AnthropicMessagesProtocol(transport);
  return new VertexProvider('recorded', config, { ...services, transport, geminiGenerateContent, anthropicMessages });
}

describeRecordings('recorded exchanges in the generateContent format, by Vertex AI', {
  wires: { gemini: 'chat' },
  bothModes: true,
  reframe: (body, stream) =>
    Buffer.from(stream ? `data: ${JSON.stringify(JSON.parse(body.toString()))}\r\n\r\n` : body.toString().replace(/^data: /, '')),
  create,
});

describeRecordings('recorded exchanges in the Messages format, by Vertex AI', {
  wires: { anthropic: 'chat' },
  bothModes: true,
  create(origin, transport) {
    const provider = create(origin, transport);
    const generate = provider.generate.bind(provider);
    provider.generate = (request, call) => generate(request, { ...call, upstreamModel: 'claude-opus-4-6' });
    return provider;
  },
});
