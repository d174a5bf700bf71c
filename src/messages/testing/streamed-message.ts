import type { AnthropicMessage, BlockDelta, MessageBlock, MessageStreamEvent } from '../../wire/anthropic-message.js';

/** A block as it grows: the input of a tool call is text until its block ends. */
interface OpenBlock {
  readonly index: number;
  readonly block: MessageBlock;
  json: string;
}

const growing: Readonly<Record<BlockDelta['type'], readonly MessageBlock['type'][]>> = {
  text_delta: ['text'],
  citations_delta: ['text'],
  thinking_delta: ['thinking'],
  signature_delta: ['thinking'],
  input_json_delta: ['tool_use', 'server_tool_use'],
};

/**
 * Joins the events of a stream to its message, as the official client does, and checks their order: the states are
 * `before`, `between` two blocks, `within` one, `ended` by a reason, and `stopped`.
 * @throws Error at the first event that may not come
 */
export class StreamedMessage {
  #state: 'before' | 'between' | 'within' | 'ended' | 'stopped' = 'before';
  #message: AnthropicMessage | undefined;
  #open: OpenBlock | undefined;

  static of(events: Iterable<MessageStreamEvent>): AnthropicMessage {
    const streamed = new StreamedMessage();
    for (const event of events) streamed.next(event);
    return streamed.message;
  }

  /** @throws Error where the stream has not ended */
  get message(): AnthropicMessage {
    this.#expect('stopped', 'end');
    return this.#message!;
  }

  /** The message as far as it has come, of a stream that broke off; undefined before its beginning. */
  get soFar(): AnthropicMessage | undefined {
    if (this.#state === 'stopped') throw wrong('error', this.#state);
    return this.#message;
  }

  next(event: MessageStreamEvent): void {
    switch (event.type) {
      case 'ping':
        if (this.#state === 'stopped') throw wrong('ping', this.#state);
        return;
      case 'message_start':
        this.#expect('before', event.type);
        this.#message = structuredClone(event.message);
        if (this.#message.content.length > 0 || this.#message.stop_reason !== null) throw new Error('the message begins with an end');
        this.#state = 'between';
        return;
      case 'content_block_start':
        this.#expect('between', event.type);
        if (event.index !== this.#message!.content.length) throw new Error(`block ${event.index} is not the next one`);
        this.#open = { index: event.index, block: structuredClone(event.content_block), json: '' };
        this.#message!.content.push(this.#open.block);
        this.#state = 'within';
        return;
      case 'content_block_delta':
        this.#expect('within', event.type);
        this.#grow(this.#openAt(event.index), event.delta);
        return;
      case 'content_block_stop':
        this.#expect('within', event.type);
        end(this.#openAt(event.index));
        this.#state = 'between';
        return;
      case 'message_delta':
        this.#expect('between', event.type);
        if (event.delta.stop_reason === null) throw new Error('the end has no reason');
        Object.assign(this.#message!, event.delta, { usage: event.usage });
        this.#state = 'ended';
        return;
      case 'message_stop':
        this.#expect('ended', event.type);
        this.#state = 'stopped';
        return;
      default:
        throw new Error(`unknown event ${JSON.stringify(event)}`);
    }
  }

  #openAt(index: number): OpenBlock {
    if (this.#open?.index !== index) throw new Error(`block ${index} is not open`);
    return this.#open;
  }

  #grow(open: OpenBlock, delta: BlockDelta): void {
    if (!growing[delta.type].includes(open.block.type)) throw new Error(`a ${delta.type} in a block of ${open.block.type}`);
    if (delta.type === 'input_json_delta') open.json += delta.partial_json;
    else if (delta.type === 'text_delta' && open.block.type === 'text') open.block.text += delta.text;
    else if (delta.type === 'citations_delta' && open.block.type === 'text') (open.block.citations ??= []).push(delta.citation);
    else if (delta.type === 'thinking_delta' && open.block.type === 'thinking') open.block.thinking += delta.thinking;
    else if (delta.type === 'signature_delta' && open.block.type === 'thinking') open.block.signature = delta.signature;
  }

  #expect(state: string, type: string): void {
    if (this.#state !== state) throw wrong(type, this.#state);
  }
}

/** Input that was cut off is as in a whole message. */
function end({ block, json }: OpenBlock): void {
  if ((block.type !== 'tool_use' && block.type !== 'server_tool_use') || json === '') return;
  try {
    block.input = JSON.parse(json) as Record<string, unknown>;
  } catch {
    block.input = { INVALID_JSON: json };
  }
}

function wrong(type: string, state: string): Error {
  return new Error(`${type} may not come in the state ${state}`);
}
