import type { ProviderType } from '../../config/provider-type.js';
import { bedrockOptions } from './bedrock.options.js';

/** What an entry needs, however it authenticates: streams are frames in a format of AWS. */
export const awsPackageNames = ['@aws-sdk/credential-provider-node', '@smithy/signature-v4', '@smithy/eventstream-codec'];

export const bedrockType: ProviderType = {
  type: 'bedrock',
  name: 'Amazon Bedrock',
  baseUrl: 'https://bedrock-runtime.{region}.amazonaws.com',
  environment: { apiKey: 'AWS_BEARER_TOKEN_BEDROCK', options: { region: 'AWS_REGION' } },
  // A machine has other credentials of AWS for many reasons; this one is for Bedrock alone.
  requires: ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_REGION'],
  packages: awsPackageNames,
  options: bedrockOptions,
  fileAlone: ({ api_key, options }) =>
    api_key === undefined && options['secret_access_key'] === undefined
      ? 'needs api_key or options.secret_access_key: AWS’s credential chain is for entries of the file'
      : undefined,
};
