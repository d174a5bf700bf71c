import { providerSchema } from '../../config/config.schema.js';
import { describeRecordings } from '../testing/describe-recordings.js';
import { awsPackages } from './aws-packages.js';
import { BedrockProvider } from './bedrock.provider.js';

const packages = await awsPackages();

describeRecordings('recorded exchanges in the format of Converse', {
  wires: { 'bedrock-converse': 'chat' },
  bothModes: true,
  create(origin, transport) {
    const config = providerSchema.parse({
      type: 'bedrock',
      base_url: origin,
      api_key: 'bedrock-recorded',
      options: { region: 'us-east-1' },
    });
    return new BedrockProvider('recorded', config, packages, { transport, hide: () => undefined });
  },
});
