import { providerSchema } from '../../config/config.schema.js';
import { GeminiGenerateContentProtocol } from '../protocols/gemini-generate-content/gemini-generate-content.protocol.js';
import { describeRecordings } from '../testing/describe-recordings.js';
import { GeminiProvider } from './gemini.provider.js';

describeRecordings('recorded exchanges in the generateContent format', {
  wires: { gemini: 'chat' },
  bothModes: true,
  // An event has the form of a whole answer.
  reframe: (body, stream) =>
    Buffer.from(
      stream
        ? `data: ${JSON.stringify(JSON.parse(body.toString()))}\r\n\r\n`
        : JSON.stringify(JSON.parse(body.toString().replace(/^data: /, ''))),
    ),
  create(origin, transport) {
    const config = providerSchema.parse({ type: 'gemini', base_url: `${origin}/v1beta`, api_key: 'AIzaRecorded' });
    return new GeminiProvider('recorded', config, new GeminiGenerateContentProtocol(transport), transport);
  },
});
