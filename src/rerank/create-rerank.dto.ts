import { Checked, OptionalFlag, OptionalInteger, RequiredText } from '../http/requests/wire-fields.js';
import type { RankedDocument } from '../wire/rerank.js';
import { documentsProblem, documentsSchema, MAX_DOCUMENTS } from './documents-shape.js';

/** Body of POST /v1/rerank. The error names the first wrong field in this order. */
export class CreateRerankDto {
  /** The id of a model that scores texts. */
  @RequiredText(256)
  model: string;

  /** What the documents are to be relevant to. */
  @RequiredText(16_384)
  query: string;

  /** Texts, or objects with a text: up to 1,000, of 10 MB together. */
  @Checked(documentsProblem, { schema: documentsSchema })
  documents: (string | RankedDocument)[];

  /** How many results are returned, the most relevant first. Absent: all. */
  @OptionalInteger(1, MAX_DOCUMENTS)
  top_n?: number | null;

  /** Whether each result has its document. Absent: it has not. */
  @OptionalFlag()
  return_documents?: boolean | null;

  extra?: Readonly<Record<string, unknown>>;
}
