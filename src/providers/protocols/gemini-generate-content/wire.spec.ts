import type * as google from '@google/genai';
import type * as ours from './wire.js';

/** Fails to compile where `A` is not a `B`. */
type Is<A extends B, B> = A;

/** What we send, Google's own client may send. Its enums are compared by their words. */
type Sent = [
  Is<ours.Content, google.Content>,
  Is<ours.FunctionDeclaration, google.FunctionDeclaration>,
  Is<keyof ours.GenerationConfig, keyof google.GenerationConfig>,
  Is<Omit<ours.GenerationConfig, 'thinkingConfig'>, google.GenerationConfig>,
  Is<keyof ours.ThinkingConfig, keyof google.ThinkingConfig>,
  Is<NonNullable<ours.GenerateContentRequest['toolConfig']>['functionCallingConfig']['mode'], `${google.FunctionCallingConfigMode}`>,
  Is<keyof NonNullable<ours.GenerateContentRequest['toolConfig']>['functionCallingConfig'], keyof google.FunctionCallingConfig>,
];

/** What Google's own client reads, we read. */
type Read = [
  Is<google.GenerateContentResponse, ours.GenerateContentResponse>,
  // Its type for the Live API alone knows `serviceTier`, which the answers of both have.
  Is<keyof ours.UsageMetadata, keyof google.GenerateContentResponseUsageMetadata | keyof google.UsageMetadata>,
];

describe('the wire types', () => {
  it('are those of Google’s own client, which the compiler checks', () => {
    const checked: [Sent, Read] | undefined = undefined;
    expect(checked).toBeUndefined();
  });
});
