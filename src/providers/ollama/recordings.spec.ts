import { providerSchema } from '../../config/config.schema.js';
import { describeRecordings } from '../testing/describe-recordings.js';
import { OllamaProvider } from './ollama.provider.js';

describeRecordings('recorded exchanges in Ollama’s format', {
  wires: { ollama: 'chat' },
  bothModes: true,
  streamType: 'application/x-ndjson',
  // A whole answer has the form of the last line of a stream.
  reframe: (body) => Buffer.from(`${JSON.stringify(JSON.parse(body.toString()))}\n`),
  create: (origin, transport) =>
    new OllamaProvider('recorded', providerSchema.parse({ type: 'ollama', base_url: origin, api_key: 'sk-recorded' }), transport),
});
