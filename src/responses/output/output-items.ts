import { toApiError } from '../../inference/attempts/provider-error.mapping.js';
import { AnswerFacts } from '../../inference/carried/answer-facts.js';
import type { ChatLogprobs, Delta, TokenLogprob, ToolCallDelta } from '../../wire/chat-completion.js';
import type { GenerationChoice } from '../../wire/generation.js';
import type { HostedItemDelta } from '../../wire/hosted-tool.js';
import type { ReasoningBlock } from '../../wire/reasoning-block.js';
import type { HostedItem, OutputItem, OutputMessage } from '../../wire/response.js';
import { encryptedBlock, proofOf } from '../encrypted-reasoning.js';
import { idPrefixOf } from '../foreign-items.js';
import { CallsOutput } from './calls-output.js';
import type { GrowingText, OutputSteps } from './growing-text.js';
import { MessageOutput } from './message-output.js';
import { OutputList } from './output-list.js';
import type { OutputClaim } from './output-claim.js';
import type { OutputOptions } from './output-options.js';
import { ReasoningOutput } from './reasoning-output.js';

const nobody: OutputSteps = { step: () => undefined, delta: () => undefined };

/**
 * Makes the items of an answer from the deltas of its one choice, in the order in which they come: what begins ends
 * what was under way. An answer that is not streamed is the case of one delta, whose steps nobody is told of.
 */
export class OutputItems {
  readonly #list: OutputList;
  readonly #message: MessageOutput;
  readonly #reasoning: ReasoningOutput;
  readonly #calls: CallsOutput;
  /** Of the next message. */
  #phase: OutputMessage['phase'];
  /** By their index. */
  readonly #hosted = new Map<number, HostedItem>();
  readonly #facts = new AnswerFacts();

  /** @param claim is made of what is added, before it is kept */
  constructor(
    private readonly options: OutputOptions,
    private readonly claim: OutputClaim,
    steps: OutputSteps = nobody,
  ) {
    this.#list = new OutputList(options.requestId, claim, steps);
    this.#message = new MessageOutput(this.#list);
    this.#reasoning = new ReasoningOutput(this.#list, options.summary);
    this.#calls = new CallsOutput(this.#list, options);
  }

  get items(): OutputItem[] {
    return this.#list.items;
  }

  /**
   * The open text to which deltas of this one kind add, where they do nothing else. A caller that adds some tells of
   * that itself.
   */
  growing(kind: string, { tool_calls }: Delta): GrowingText | undefined {
    switch (kind) {
      case 'content':
        return this.#message.growing;
      case 'reasoning_content':
        return this.#reasoning.growing;
      case 'tool_calls':
        return this.#calls.growing(tool_calls![0]!);
      default:
        return undefined;
    }
  }

  /**
   * @throws ApiError 503 service_unavailable where there is no room for it, 502 upstream_error where there are too many
   * items: then nothing is kept any more
   */
  add(choice: GenerationChoice): void {
    this.#try(() => {
      this.claim.add(choice);
      const { delta, logprobs, finish_reason } = choice;
      if (delta) this.#add(delta, this.options.logprobs ? (logprobs as ChatLogprobs | null | undefined) : undefined);
      if (finish_reason) this.#calls.finish();
    });
  }

  /** Adds to an open text; the caller tells of the deltas itself. @throws as add */
  grow(text: GrowingText, delta: string): void {
    this.#try(() => {
      this.claim.addText(delta);
      text.add(delta);
    });
  }

  /** Ends what is under way. An answer without anything has a message without text. @throws as add */
  end(status: 'completed' | 'incomplete'): void {
    this.#try(() => {
      this.claim.end();
      if (this.items.length === 0 && status === 'completed') this.#text('', undefined);
      this.#reasoning.end(status);
      this.#message.end(status);
      this.#calls.end(status);
      const facts = this.options.encrypted ? this.#facts.all : undefined;
      if (facts !== undefined) this.#sealExtra(facts, 'answer');
    });
  }

  /** Marks what has not ended, without a step: the response has failed. */
  abandon(): void {
    for (const item of this.items) if (item.status === 'in_progress') item.status = 'incomplete';
  }

  #try(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#list.clear();
      throw toApiError(error);
    }
  }

  #add(delta: Delta, logprobs: ChatLogprobs | null | undefined): void {
    const { refusal, reasoning_content, thinking_blocks, hosted_items, annotations } = delta;
    const blocks = thinking_blocks ?? [];
    // A block that is whole has its text itself.
    if (reasoning_content && !blocks.some(({ thinking }) => thinking)) this.#reason(reasoning_content);
    const { text, calls } = this.#placed(
      delta,
      hosted_items ? [...blocks, ...hosted_items].sort((one, other) => one.index - other.index) : blocks,
    );
    if (text) this.#text(text, logprobs?.content);
    if (Array.isArray(annotations)) for (const annotation of annotations as unknown[]) this.#message.annotate(annotation);
    if (refusal) {
      this.#openMessage();
      this.#message.refuse(refusal);
    }
    for (const call of calls) this.#call(call);
    this.#facts.add(delta);
  }

  /**
   * Adds blocks of reasoning and items of hosted tools at their places: those of an answer that is not streamed tell
   * what comes before them.
   * @returns what is left of the delta's text and calls
   */
  #placed(
    { content, tool_calls }: Delta,
    blocks: readonly (ReasoningBlock | HostedItemDelta)[],
  ): { text: string; calls: readonly ToolCallDelta[] } {
    let text = content ?? '';
    let calls = tool_calls ?? [];
    let [before, called] = [0, 0];
    for (const block of blocks) {
      const { after = { content: 0, tool_calls: 0 } } = block;
      if (text && after.content > before) {
        this.#text(text.slice(0, after.content - before), undefined);
        text = text.slice(after.content - before);
        before = after.content;
      }
      for (const call of calls.slice(0, Math.max(0, after.tool_calls - called))) this.#call(call);
      calls = calls.slice(Math.max(0, after.tool_calls - called));
      called = Math.max(called, after.tool_calls);
      if ('step' in block) this.#host(block);
      else this.#think(block);
    }
    return { text, calls };
  }

  /** A message with a phase is one of its own; what else is told so are items of hosted tools. */
  #host({ index, step, item }: HostedItemDelta): void {
    const open = this.#hosted.get(index);
    if (open) {
      if (item) Object.assign(open, item);
      if (step === 'done') this.#list.done(open);
      else this.#list.step(step, this.#list.placeOf(open));
    } else if (item) {
      this.#reasoning.end('completed');
      this.#message.end('completed');
      this.#calls.endComplete();
      if (item.type === 'message') this.#phase = item['phase'] as OutputMessage['phase'];
      else this.#hosted.set(index, this.#list.begin({ ...item, id: this.#list.nextId(idPrefixOf(item.type)) } as HostedItem));
    }
  }

  /** A block ends the item that has its text. */
  #think(block: ReasoningBlock): void {
    if (block.thinking && !this.#reasoning.isOpen) this.#reason(block.thinking);
    if (proofOf(block) !== undefined) this.#seal(() => encryptedBlock(block, this.options.carried));
  }

  #sealExtra(extra_content: unknown, of: 'call' | 'answer'): void {
    this.#seal(() => this.options.carried.write({ extra_content, of }));
  }

  #seal(encrypted: () => string | undefined): void {
    if (!this.#reasoning.isOpen && !this.options.encrypted) return;
    this.#beforeReasoning();
    this.#reasoning.seal(this.options.encrypted ? encrypted() : undefined);
  }

  #reason(delta: string): void {
    this.#beforeReasoning();
    this.#reasoning.add(delta);
  }

  #beforeReasoning(): void {
    if (this.#reasoning.isOpen) return;
    this.#message.end('completed');
    this.#calls.endComplete();
  }

  #text(delta: string, tokens: readonly TokenLogprob[] | null | undefined): void {
    this.#openMessage();
    this.#message.text(delta, tokens);
  }

  #openMessage(): void {
    if (this.#message.isOpen) return;
    this.#reasoning.end('completed');
    this.#calls.endComplete();
    this.#message.begin(this.#phase);
    this.#phase = undefined;
  }

  #call(delta: ToolCallDelta): void {
    if (!this.#calls.isOpen(delta)) {
      const { extra_content } = delta;
      if (extra_content !== undefined && this.options.encrypted) this.#sealExtra(extra_content, 'call');
      this.#reasoning.end('completed');
      this.#message.end('completed');
      this.#calls.endComplete();
    }
    this.#calls.add(delta);
  }
}
