import type * as aws from '@aws-sdk/client-bedrock-runtime';
import type * as ours from './wire.js';

/** Fails to compile where `A` is not a `B`. */
type Is<A extends B, B> = A;

/** The client's type with bytes in base64 and its JSON documents as any JSON, as both travel. */
type Sent<T> = T extends Uint8Array
  ? string
  : T extends (infer Item)[]
    ? Sent<Item>[]
    : T extends object
      ? { [Key in keyof T]: Sent<T[Key]> }
      : T;

type AwsBody = Omit<aws.ConverseRequest & aws.ConverseStreamRequest, 'modelId'>;

/** What we send, AWS's own client may send. */
type Requests = [
  Is<keyof ours.ConverseBody, keyof AwsBody>,
  Is<ours.ConverseBody['inferenceConfig'], aws.InferenceConfiguration>,
  Is<ours.ConverseBody['outputConfig'], aws.OutputConfig | undefined>,
  Is<ours.ConverseBody['requestMetadata'], AwsBody['requestMetadata']>,
  Is<NonNullable<ours.ConverseBody['guardrailConfig']>, aws.GuardrailStreamConfiguration>,
  Is<keyof ours.ConverseMessage, keyof aws.Message>,
  Is<ours.ConverseMessage['role'], aws.ConversationRole>,
  Is<keyof ours.ImageBlock['image'], keyof aws.ImageBlock>,
  Is<ours.ImageBlock['image']['format'], aws.ImageFormat>,
  Is<ours.ImageBlock['image']['source'], Sent<aws.ImageSource.BytesMember>>,
  Is<keyof ours.DocumentBlock['document'], keyof aws.DocumentBlock>,
  Is<ours.DocumentFormat, aws.DocumentFormat>,
  Is<ours.DocumentBlock['document']['source'], Sent<aws.DocumentSource.BytesMember>>,
  Is<keyof ours.ToolUseBlock['toolUse'], keyof aws.ToolUseBlock>,
  Is<keyof ours.ToolResultBlock['toolResult'], keyof aws.ToolResultBlock>,
  Is<KeysOf<ours.ReasoningBlock['reasoningContent']>, KeysOf<aws.ReasoningContentBlock>>,
  Is<ours.CachePointBlock['cachePoint'], aws.CachePointBlock>,
  Is<KeysOf<ours.ConverseBlock>, KeysOf<aws.ContentBlock>>,
  Is<KeysOf<ours.SystemBlock>, KeysOf<aws.SystemContentBlock>>,
  Is<KeysOf<ours.ToolSpec | ours.CachePointBlock>, KeysOf<aws.Tool>>,
  Is<keyof ours.ToolSpec['toolSpec'], keyof aws.ToolSpecification>,
  Is<KeysOf<NonNullable<ours.ToolConfig['toolChoice']>>, KeysOf<aws.ToolChoice>>,
];

type KeysOf<Union> = Union extends unknown ? keyof Union : never;

/** What we read, AWS's own client reads too. */
type Responses = [
  Is<keyof ours.ResponseBlock, KeysOf<aws.ContentBlock>>,
  Is<keyof NonNullable<ours.ResponseBlock['reasoningContent']>, KeysOf<aws.ReasoningContentBlock>>,
  Is<keyof NonNullable<ours.ConverseEvent['delta']>, KeysOf<aws.ContentBlockDelta>>,
  Is<keyof NonNullable<NonNullable<ours.ConverseEvent['delta']>['reasoningContent']>, KeysOf<aws.ReasoningContentBlockDelta>>,
  Is<keyof NonNullable<ours.ConverseEvent['start']>, KeysOf<aws.ContentBlockStart>>,
  Is<
    keyof ours.ConverseEvent,
    keyof aws.ContentBlockStartEvent | keyof aws.ContentBlockDeltaEvent | keyof aws.MessageStopEvent | keyof aws.ConverseStreamMetadataEvent
  >,
];

describe('the wire types', () => {
  it('are those of AWS’s own client, which the compiler checks', () => {
    const checked: [Requests, Responses] | undefined = undefined;
    expect(checked).toBeUndefined();
  });
});
