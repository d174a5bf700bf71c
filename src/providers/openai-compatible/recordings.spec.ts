import { providerSchema } from '../../config/config.schema.js';
import { ChatCompletionsProtocol } from '../protocols/chat-completions/chat-completions.protocol.js';
import { describeRecordings } from '../testing/describe-recordings.js';
import { OpenAICompatibleProvider } from './openai-compatible.provider.js';

describeRecordings('recorded exchanges in the OpenAI format', {
  wires: { 'openai-chat': 'chat', 'openai-completions': 'completion' },
  create(origin, transport) {
    const config = providerSchema.parse({ base_url: `${origin}/v1`, api_key: 'sk-recorded' });
    return new OpenAICompatibleProvider('recorded', config, new ChatCompletionsProtocol(transport), transport);
  },
});
