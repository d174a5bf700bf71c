import { providerSchema } from '../../config/config.schema.js';
import { AnthropicMessagesProtocol } from '../protocols/anthropic-messages/anthropic-messages.protocol.js';
import { describeRecordings } from '../testing/describe-recordings.js';
import { AnthropicProvider } from './anthropic.provider.js';

describeRecordings('recorded exchanges in the Messages format', {
  wires: { anthropic: 'chat' },
  bothModes: true,
  create(origin, transport) {
    const config = providerSchema.parse({ type: 'anthropic', base_url: origin, api_key: 'sk-ant-recorded' });
    return new AnthropicProvider('recorded', config, new AnthropicMessagesProtocol(transport), transport);
  },
});
