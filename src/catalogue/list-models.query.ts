import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import type { Capabilities } from '../wire/model.js';

/** Values of the capability filter: the six flags, and the specification's own example words. */
export const capabilityWords: Readonly<Record<string, keyof Capabilities>> = {
  chat: 'chat',
  completion: 'completion',
  function_calling: 'function_calling',
  vision: 'vision',
  embeddings: 'embeddings',
  json_mode: 'json_mode',
  image: 'vision',
  embedding: 'embeddings',
};

const booleans = ['true', 'false'];

/** Query of GET /v1/models (specification, Endpoints). Booleans are exactly `true` or `false`. */
export class ListModelsQuery {
  @IsOptional()
  @IsIn(booleans, { message: 'include_capabilities must be true or false' })
  include_capabilities?: 'true' | 'false';

  @IsOptional()
  @MaxLength(200, { message: 'provider must be at most 200 characters' })
  @IsString({ message: 'provider must be given once' })
  provider?: string;

  @IsOptional()
  @IsIn(Object.keys(capabilityWords), { message: `capability must be one of ${Object.keys(capabilityWords).join(', ')}` })
  capability?: string;

  @IsOptional()
  @IsIn(booleans, { message: 'active_only must be true or false' })
  active_only?: 'true' | 'false';
}
