import type { OverInputs } from '../../wire/generation.js';
import { embeddingsOperation } from './embeddings.js';
import type { OverInputsOperation } from './operation.js';
import { rerankOperation } from './rerank.js';

const operations: { readonly [Request in OverInputs as Request['operation']]: OverInputsOperation<Request> } = {
  embeddings: embeddingsOperation,
  rerank: rerankOperation,
};

export function operationOf({ operation }: OverInputs): OverInputsOperation<OverInputs> {
  return operations[operation];
}
