import type { ProviderConfig } from '../../config/config.schema.js';
import { AccessToken, bearer } from '../credentials/access-token.js';
import type { ProviderServices } from '../kit/provider-services.js';
import { CredentialRequests } from '../transport/credential-requests.js';
import { vendorPackage } from '../kit/vendor-package.js';
import { GoogleCredentials } from './google-credentials.js';
import type { VertexOptions } from './vertex.options.js';
import { VertexProvider } from './vertex.provider.js';

/** @throws Error (rejects) where google-auth-library is needed and not installed */
export async function createVertexProvider(id: string, config: ProviderConfig, services: ProviderServices): Promise<VertexProvider> {
  if (config.api_key !== undefined) return new VertexProvider(id, config, services);
  const library = await vendorPackage(['google-auth-library'], () => import('google-auth-library'));
  const requests = new CredentialRequests(services.transport, config);
  const credentials = new GoogleCredentials(library, config.options as unknown as VertexOptions, requests);
  const token = new AccessToken(
    () => credentials.token(),
    (secret) => services.hide(secret),
  );
  return new VertexProvider(id, config, services, bearer(token));
}
