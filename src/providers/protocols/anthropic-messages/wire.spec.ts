import type Anthropic from '@anthropic-ai/sdk';
import type * as ours from './wire.js';

/** Fails to compile where `A` is not a `B`. */
type Is<A extends B, B> = A;

/** Taken by older models, and no longer named by the client. */
type OlderModels = 'temperature' | 'top_p' | 'top_k';

/** What we send, the vendor's own client may send. */
type Sent = [
  Is<ours.MessagesBody, Anthropic.MessageCreateParams>,
  Is<Exclude<keyof ours.MessagesBody, OlderModels>, keyof Anthropic.MessageCreateParams>,
  Is<ours.Turn, Anthropic.MessageParam>,
  Is<ours.Block, Anthropic.ContentBlockParam>,
  Is<keyof ours.ImageBlock, keyof Anthropic.ImageBlockParam>,
  Is<keyof ours.DocumentBlock, keyof Anthropic.DocumentBlockParam>,
  Is<keyof ours.ToolUseBlock, keyof Anthropic.ToolUseBlockParam>,
  Is<keyof ours.ToolResultBlock, keyof Anthropic.ToolResultBlockParam>,
  Is<ours.MessagesTool, Anthropic.Tool>,
  Is<keyof ours.MessagesTool, keyof Anthropic.Tool>,
  Is<ours.MessagesToolChoice, Anthropic.ToolChoice>,
  Is<ours.ThinkingSetting, Anthropic.ThinkingConfigParam>,
  Is<ours.Effort, NonNullable<Anthropic.OutputConfig['effort']>>,
];

/** What the vendor's own client reads, we read. */
type Read = [
  Is<Anthropic.RawMessageStreamEvent, ours.MessageEvent>,
  Is<Anthropic.ContentBlock, ours.ResponseBlock>,
  Is<Anthropic.Message['content'], readonly ours.ResponseBlock[]>,
];

describe('the wire types', () => {
  it('are those of Anthropic’s own client, which the compiler checks', () => {
    const checked: [Sent, Read] | undefined = undefined;
    expect(checked).toBeUndefined();
  });
});
