import type * as cohere from '../../../node_modules/cohere-ai/serialization/index.js';
import type { Cohere } from 'cohere-ai';
import type * as ours from './wire.js';

/** Fails to compile where `A` is not a `B`. */
type Is<A extends B, B> = A;

/** Passed on as the client wrote them. */
type Passed = 'documents' | 'citation_options' | 'safety_mode' | 'k' | 'priority';

/** What we send, Cohere's own client may send. */
type Sent = [
  Is<Omit<ours.ChatBody, Passed | 'stream'>, cohere.V2ChatRequest.Raw>,
  Is<Exclude<keyof ours.ChatBody, 'stream'>, keyof cohere.V2ChatRequest.Raw>,
  Is<ours.ChatMessage, cohere.ChatMessageV2.Raw>,
  Is<keyof ours.AssistantTurn, keyof cohere.ChatMessageV2.Assistant>,
  Is<ours.ThinkingSetting, cohere.Thinking.Raw>,
  Is<keyof ours.ThinkingSetting, keyof cohere.Thinking.Raw>,
  Is<ours.ChatTool, cohere.ToolV2.Raw>,
  Is<ours.ImageDetail, Cohere.ImageUrlDetail>,
];

/** What Cohere's own client reads, we read. */
type Read = [
  Is<Exclude<cohere.V2ChatStreamResponse.Raw, cohere.V2ChatStreamResponse.Debug>, ours.ChatEvent>,
  Is<cohere.V2ChatResponse.Raw, ours.ChatResponse>,
  Is<cohere.Usage.Raw, ours.ChatUsage>,
  Is<keyof ours.ChatUsage, keyof cohere.Usage.Raw>,
  Is<keyof ours.TokenCounts, keyof cohere.UsageBilledUnits.Raw & keyof cohere.UsageTokens.Raw>,
  Is<cohere.Citation.Raw, ours.Citation>,
  Is<keyof ours.Citation, keyof cohere.Citation.Raw>,
  Is<keyof ours.CitedSource, keyof cohere.Source.Document | keyof cohere.Source.Tool>,
  Is<keyof ours.ResponseCall, keyof cohere.ToolCallV2.Raw>,
  Is<keyof ours.ChatResponse, keyof cohere.V2ChatResponse.Raw>,
  Is<keyof NonNullable<ours.ChatResponse['message']>, keyof cohere.AssistantMessageResponse.Raw>,
];

describe('the wire types', () => {
  it('are those of Cohere’s own client, which the compiler checks', () => {
    const checked: [Sent, Read] | undefined = undefined;
    expect(checked).toBeUndefined();
  });
});
