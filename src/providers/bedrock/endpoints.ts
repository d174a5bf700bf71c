import type { ProviderConfig } from '../../config/config.schema.js';
import { configuredEndpoint, type Endpoint } from '../protocols/endpoint.js';
import type { Sign } from '../transport/upstream-request.js';
import type { BedrockOptions } from './bedrock.options.js';

interface Endpoints {
  /** Where models are asked. */
  readonly runtime: Endpoint;
  /** Where models are listed. */
  readonly control: Endpoint;
}

/** @param sign absent where a bearer key is sent */
export function endpointsOf(config: ProviderConfig, { control_url }: BedrockOptions, sign: Sign | undefined): Endpoints {
  const at = (base_url: string): Endpoint => ({
    ...configuredEndpoint({ ...config, base_url }, (key) => ({ authorization: `Bearer ${key}` })),
    ...(sign && { sign }),
  });
  return { runtime: at(config.base_url), control: at(control_url ?? controlAddress(config.base_url)) };
}

/** AWS's own addresses differ in the first word of their host; another address serves both. */
function controlAddress(runtime: string): string {
  const url = new URL(runtime);
  url.hostname = url.hostname.replace(/^bedrock-runtime(?=(-fips)?\.)/, 'bedrock');
  return url.href;
}
