import type { defaultProvider } from '@aws-sdk/credential-provider-node';
import type { EventStreamCodec } from '@smithy/eventstream-codec';
import type { SignatureV4 } from '@smithy/signature-v4';
import { vendorPackage } from '../kit/vendor-package.js';
import { awsPackageNames } from './bedrock.type.js';

/** What is used of AWS's own packages. */
export interface AwsPackages {
  readonly defaultProvider: typeof defaultProvider;
  readonly EventStreamCodec: typeof EventStreamCodec;
  readonly SignatureV4: typeof SignatureV4;
}

const importAll = async (): Promise<AwsPackages> => ({
  ...(await import('@aws-sdk/credential-provider-node')),
  ...(await import('@smithy/signature-v4')),
  ...(await import('@smithy/eventstream-codec')),
});

/**
 * @param load imports them
 * @throws Error (rejects) that names what has to be installed
 */
export function awsPackages(load: () => Promise<AwsPackages> = importAll): Promise<AwsPackages> {
  return vendorPackage(awsPackageNames, load);
}
