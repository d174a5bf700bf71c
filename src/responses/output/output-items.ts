import { toApiError } from '../../inference/attempts/provider-error.mapping.js';
import { AnswerFacts } from '../../inference/carried/answer-facts.js';
import type { ChatLogprobs, Delta, TokenLogprob, ToolCallDelta } from '../../wire/chat-completion.js';
import type { GenerationChoice } from '../../wire/generation.js';
import type { AnswerPosition, HostedItemDelta, SaidLengths } from '../../wire/hosted-tool.js';
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

/** A delta of which not all has been said. */
interface Unsaid {
  readonly reasoning_content: string;
  readonly content: string;
  readonly annotations: readonly unknown[];
  readonly refusal: string;
  /** Those that have not been. */
  tool_calls: readonly ToolCallDelta[];
  readonly tokens: readonly TokenLogprob[];
  saidTokens: number;
  /** What had been said before it. */
  readonly before: SaidLengths;
}

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
  /** What has been said: UTF-16 code units, and elements. */
  readonly #said: SaidLengths = { content: 0, reasoning_content: 0, refusal: 0, annotations: 0 };
  /** Messages, reasoning and items of hosted tools by their index, as far as the vendor tells where they begin. */
  readonly #placed = new Map<number, MessageOutput | ReasoningOutput | HostedItem>();
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

  /** Adds to an open text, of this kind; the caller tells of the deltas itself. @throws as add */
  grow(text: GrowingText, kind: string, delta: string): void {
    this.#try(() => {
      this.claim.addText(delta);
      text.add(delta);
      if (kind === 'content' || kind === 'reasoning_content') this.#said[kind] += delta.length;
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
    const { thinking_blocks: blocks = [], hosted_items: placed = [], annotations } = delta;
    const unsaid: Unsaid = {
      // A block that is whole has its text itself.
      reasoning_content: (!blocks.some(({ thinking }) => thinking) && delta.reasoning_content) || '',
      content: delta.content ?? '',
      annotations: Array.isArray(annotations) ? (annotations as unknown[]) : [],
      refusal: delta.refusal ?? '',
      tool_calls: delta.tool_calls ?? [],
      tokens: logprobs?.content ?? [],
      saidTokens: 0,
      before: { ...this.#said },
    };
    // Reasoning without a place comes first.
    if (placed.every(({ step, after }) => step === 'part' && !after?.reasoning_content)) this.#say(unsaid, { reasoning_content: Infinity });
    for (const one of [...blocks, ...placed].sort((a, b) => a.index - b.index)) {
      this.#say(unsaid, one.after ?? {});
      if ('step' in one) this.#host(one);
      else this.#think(one);
    }
    this.#say(unsaid, undefined);
    this.#facts.add(delta);
  }

  /**
   * Says what comes before a place, and leaves the rest.
   * @param place undefined: all of it
   */
  #say(unsaid: Unsaid, place: AnswerPosition | undefined): void {
    const taken = <Name extends keyof SaidLengths>(name: Name): Unsaid[Name] => {
      const begin = this.#said[name] - unsaid.before[name];
      const said = unsaid[name].slice(begin, place && Math.max(begin, (place[name] ?? 0) - unsaid.before[name]));
      this.#said[name] += said.length;
      return said as Unsaid[Name];
    };
    const thought = taken('reasoning_content');
    if (thought) this.#reason(thought);
    const text = taken('content');
    const isLast = this.#said.content - unsaid.before.content >= unsaid.content.length;
    if (text) this.#text(text, tokensOf(unsaid, isLast ? Infinity : text.length));
    for (const annotation of taken('annotations')) this.#message.annotate(annotation);
    const refusal = taken('refusal');
    if (refusal) {
      this.#openMessage();
      this.#message.refuse(refusal);
    }
    const { tool_calls: calls } = unsaid;
    if (calls.length === 0) return;
    const before = ({ index }: ToolCallDelta): boolean => !place || index < (place.tool_calls ?? 0);
    unsaid.tool_calls = calls.filter((call) => !before(call));
    for (const call of calls.filter(before)) this.#call(call);
  }

  /** A step of an item whose vendor tells where it begins. */
  #host({ index, step, item }: HostedItemDelta): void {
    const open = this.#placed.get(index) ?? (step === 'part' ? this.#message : undefined);
    if (open === this.#message || open === this.#reasoning) {
      if (step === 'part') open.endPart();
      else if (open.isOpen && item?.type === 'reasoning') this.#reasoning.seal(item['encrypted_content'] as string | undefined);
    } else if (open) {
      if (item) Object.assign(open, item);
      if (step === 'done') this.#list.done(open as HostedItem);
      else this.#list.step(step, this.#list.placeOf(open as HostedItem));
    } else if (item) {
      this.#reasoning.end('completed');
      this.#message.end('completed');
      this.#calls.endComplete();
      this.#placed.set(index, this.#beginPlaced(item));
    }
  }

  #beginPlaced(item: NonNullable<HostedItemDelta['item']>): MessageOutput | ReasoningOutput | HostedItem {
    if (item.type === 'message') return this.#message.begin(item['phase'] as OutputMessage['phase']);
    if (item.type === 'reasoning') return this.#reasoning.begin();
    return this.#list.begin({ ...item, id: this.#list.nextId(idPrefixOf(item.type)) } as HostedItem);
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
    this.#message.begin();
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

/** The next tokens, of a text of this length. */
function tokensOf(unsaid: Unsaid, length: number): readonly TokenLogprob[] {
  const { tokens, saidTokens } = unsaid;
  for (let read = 0; unsaid.saidTokens < tokens.length && read < length; unsaid.saidTokens++)
    read += tokens[unsaid.saidTokens]!.token.length;
  return tokens.slice(saidTokens, unsaid.saidTokens);
}
