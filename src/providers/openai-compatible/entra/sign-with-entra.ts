import type { ProviderConfig } from '../../../config/config.schema.js';
import { AccessToken, bearer } from '../../credentials/access-token.js';
import type { ProviderServices } from '../../kit/provider-services.js';
import { CredentialRequests } from '../../transport/credential-requests.js';
import type { Sign } from '../../transport/upstream-request.js';
import { vendorPackage } from '../../kit/vendor-package.js';
import { EntraCredential } from './entra-credential.js';
import type { EntraOptions } from './entra.options.js';

/**
 * @returns what adds a token of Microsoft Entra to each request of the entry
 * @throws Error (rejects) where @azure/identity is not installed
 */
export async function signWithEntra(config: ProviderConfig, services: Pick<ProviderServices, 'transport' | 'hide'>): Promise<Sign> {
  const library = await vendorPackage(['@azure/identity'], () => import('@azure/identity'));
  const requests = new CredentialRequests(services.transport, config);
  const credential = new EntraCredential(library, config.options as unknown as EntraOptions, requests);
  const token = new AccessToken(
    () => credential.token(),
    (secret) => services.hide(secret),
  );
  return bearer(token);
}
