import type { ProviderType } from '../../config/provider-type.js';
import { vertexOptions } from './vertex.options.js';

/** The address of the location `global`, which stands for that of any other location too: see location-address.ts. */
export const GLOBAL_ADDRESS = 'https://aiplatform.googleapis.com';

export const vertexType: ProviderType = {
  type: 'vertex',
  name: 'Google Vertex AI',
  baseUrl: GLOBAL_ADDRESS,
  environment: { options: { project: 'GOOGLE_CLOUD_PROJECT', location: 'GOOGLE_CLOUD_LOCATION' } },
  requires: ['GOOGLE_CLOUD_PROJECT', 'GOOGLE_CLOUD_LOCATION'],
  packages: ['google-auth-library'],
  options: vertexOptions,
  fileAlone: ({ api_key, options }) =>
    api_key === undefined && options['service_account'] === undefined
      ? 'needs api_key or options.service_account: default credentials and key files are for entries of the file'
      : undefined,
};
