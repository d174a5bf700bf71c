import { appendChoice } from '../../../wire/accumulate.js';
import type { GenerationChoice, GenerationChunk } from '../../../wire/generation.js';
import { isObject, type JsonObject } from '../../../wire/json-object.js';
import type { ProviderError } from '../../contract/provider-error.js';
import { eventObject } from '../event-object.js';
import type { ResponseDecoder } from '../response-decoder.js';
import { type UpstreamFailure, upstreamError } from '../upstream-error.js';
import { failureOf } from './error.js';
import { ResponsesTranslator } from './translator.js';

/** Decodes one response of OpenAI's Responses. */
export class ResponsesDecoder implements ResponseDecoder {
  readonly #translator: ResponsesTranslator;

  /** @param hosts whether the request has hosted tools */
  constructor(
    private readonly secrets: readonly string[],
    hosts = false,
  ) {
    this.#translator = new ResponsesTranslator(secrets, hosts);
  }

  get ended(): boolean {
    return this.#translator.ended;
  }

  refused(failure: UpstreamFailure): ProviderError {
    return upstreamError(failure);
  }

  whole(body: JsonObject): GenerationChunk {
    if (body['output'] === undefined && isObject(body['error'])) throw failureOf(body['error'], this.secrets);
    const choice: GenerationChoice = { index: 0, delta: {}, finish_reason: null };
    const chunk: GenerationChunk = { choices: [choice] };
    for (const { choices, usage } of this.#translator.whole(body)) {
      const [said] = choices;
      if (said) appendChoice(choice, said);
      if (usage) chunk.usage = usage;
    }
    choice.delta!.content ??= null;
    return chunk;
  }

  event(_name: string, data: string): GenerationChunk | undefined {
    return this.#translator.event(eventObject(data));
  }

  /** Each event has a number, before its text. */
  run(_bytes: unknown, position: number): number {
    return position;
  }

  end(): readonly GenerationChunk[] {
    return [...this.#translator.end()];
  }
}
