import type { EmbeddingRequest } from '../../wire/embedding.js';
import type { Flow, ProviderCall } from '../contract/model-provider.js';

/** A Flow that a test pauses by hand. */
export class ManualFlow implements Flow {
  readonly #listeners = new Set<(paused: boolean) => void>();
  #paused = false;

  get paused(): boolean {
    return this.#paused;
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  set(paused: boolean): void {
    this.#paused = paused;
    for (const listener of this.#listeners) listener(paused);
  }

  async ready(): Promise<void> {
    if (!this.#paused) return;
    await new Promise<void>((resolve) => {
      const stop = this.onChange((paused) => {
        if (paused) return;
        stop();
        resolve();
      });
    });
  }

  onChange(listener: (paused: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

export interface TestCall extends ProviderCall {
  readonly flow: ManualFlow;
  /** Parameters reported as dropped, in order. */
  readonly droppedParameters: string[];
}

export function testCall(overrides: Partial<Pick<ProviderCall, 'signal' | 'upstreamModel' | 'traceHeaders'>> = {}): TestCall {
  const droppedParameters: string[] = [];
  return {
    signal: new AbortController().signal,
    requestId: '01890a5d-ac96-774b-bcce-b302099a8057',
    upstreamModel: 'upstream-model',
    ...overrides,
    flow: new ManualFlow(),
    droppedParameters,
    dropped: (parameter) => droppedParameters.push(parameter),
  };
}

/** A request for the embeddings of two texts. */
export const embeddings: EmbeddingRequest = {
  operation: 'embeddings',
  model: 'm',
  stream: false,
  n: 1,
  encoding_format: 'float',
  input: ['Žofia', 'second'],
};
