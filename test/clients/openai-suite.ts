import type OpenAI from 'openai';
import type { ClientGateway } from './client-gateway.js';

type Sdk = typeof import('openai');
type ChatHelpers = Pick<OpenAI['chat']['completions'], 'parse' | 'stream' | 'runTools'>;

/** One major of npm `openai`. The types are the newest one's; an older major that behaves the same is cast to them. */
export interface OpenAIClientKit {
  readonly name: string;
  readonly sdk: Sdk;
  /** Where this major keeps its helpers. */
  readonly helpers: (client: OpenAI) => ChatHelpers;
  /** The schema of a recipe as this major turns it into a request. */
  readonly recipeFormat: OpenAI.ResponseFormatJSONSchema;
  readonly gateway: () => ClientGateway;
}

export interface OpenAISuite extends OpenAIClientKit {
  /** A client as a user makes it, with the customer's live key. */
  readonly client: (options?: ConstructorParameters<Sdk['OpenAI']>[0]) => OpenAI;
}
