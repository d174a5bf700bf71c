import { providerSchema } from '../../config/config.schema.js';
import { describeRecordings } from '../testing/describe-recordings.js';
import { CohereProvider } from './cohere.provider.js';

describeRecordings('recorded exchanges in Cohere’s format', {
  wires: { 'cohere-v2': 'chat' },
  create(origin, transport) {
    const config = providerSchema.parse({ type: 'cohere', base_url: origin, api_key: 'co-recorded' });
    return new CohereProvider('recorded', config, transport);
  },
});
