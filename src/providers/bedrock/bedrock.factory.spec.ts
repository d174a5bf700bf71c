import { readFileSync } from 'node:fs';
import { ModelFactsService } from '../model-facts/model-facts.service.js';
import { suiteEntry } from '../testing/suite-entry.js';
import { HttpTransport } from '../transport/http-transport.js';
import { awsPackages } from './aws-packages.js';
import { BedrockFactory } from './bedrock.factory.js';

const imported = (file: string): string[] => {
  const source = readFileSync(new URL(file, import.meta.url), 'utf8').replaceAll(/^import type .*$/gm, '');
  return Array.from(source.matchAll(/^import .* from '([^']+)';$/gm), ([, name]) => name!);
};

describe('An entry of type bedrock', () => {
  it('makes a provider that has asked nobody', async () => {
    const entry = suiteEntry('http://127.0.0.1:9', { options: { region: 'eu-central-1' } });
    const factory = new BedrockFactory(new HttpTransport(), {} as ModelFactsService);
    const provider = await factory.create('aws', { ...entry.config, type: 'bedrock', api_key: undefined }, entry.services);
    expect([provider.id, provider.name]).toEqual(['aws', 'Amazon Bedrock']);
    await entry.close();
  });

  it('says in one line what has to be installed where AWS’s packages are not', async () => {
    const absent = '@aws-sdk/not-installed';
    await expect(awsPackages(() => import(absent) as never)).rejects.toThrow(
      /^it needs packages that are not installed: npm install @aws-sdk\/credential-provider-node @smithy\/signature-v4 @smithy\/eventstream-codec$/,
    );
  });

  it('is what loads the folder: nothing else of it is reached without one', () => {
    const inFolder = (file: string) => imported(file).filter((name) => name.startsWith('./'));
    expect(inFolder('bedrock.module.ts')).toEqual(['./bedrock.factory.js']);
    expect(inFolder('bedrock.factory.ts')).toEqual([]);
    expect(inFolder('bedrock.type.ts')).toEqual(['./bedrock.options.js']);
    expect(imported('bedrock.options.ts')).toEqual(['zod']);
  });
});
