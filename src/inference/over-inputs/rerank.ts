import type { Offer } from '../../catalogue/offer.js';
import { textBytes } from '../../wire/members.js';
import { ProviderError } from '../../providers/contract/provider-error.js';
import type { RerankRequest } from '../../wire/rerank.js';
import type { Usage } from '../../wire/usage.js';
import { UNIT_DOCUMENTS } from '../planning/hosted-calls.js';
import { withoutUnsupported } from '../planning/requirements.js';
import type { UpstreamCall } from '../planning/upstream-call.js';
import type { OverInputsOperation, OverInputsTerms } from './operation.js';
import { INPUT_OVERHEAD, MAX_INPUTS, planInputs } from './plan-inputs.js';

/** What has more tokens with the query counts in search units as a document for each so many (cohere.com/pricing). */
const DOCUMENT_TOKENS = 500;

/** Bytes of a score in memory and as JSON, with its place. */
const SCORE_BYTES = 100;

export const rerankOperation: OverInputsOperation<RerankRequest> = {
  plan: planRerank,
  async ask(request, provider, call) {
    if (!provider.rerank) throw new ProviderError('model_unavailable', 'the provider scores no texts');
    const { scores, usage } = await provider.rerank(request, call);
    if (!Array.isArray(scores) || scores.length !== request.input.length || !scores.every(Number.isFinite))
      throw new ProviderError('bad_response', `the answer has not one score for each of ${request.input.length} documents`);
    return {
      choices: [{ index: 0, answers: scores, finish_reason: 'stop' }],
      tokens: 0,
      ...(usage && { usage: { ...usage, completion_tokens: 0 } as Usage }),
    };
  },
  bytesOf: ({ choices }) => SCORE_BYTES * choices.reduce((sum, { answers = [] }) => sum + answers.length, 0),
};

/** The model reads the query with each of the documents. */
function planRerank(offer: Offer, request: RerankRequest, { strict, dropped }: OverInputsTerms): UpstreamCall[] {
  const settings = withoutUnsupported(offer, request, strict, dropped);
  const queryBytes = Buffer.byteLength(request.query);
  const tokensOf = (index: number, { input }: RerankRequest): number =>
    Math.min(textBytes(input, `${index}`) + queryBytes + INPUT_OVERHEAD, offer.contextLength);
  const most = { inputs: offer.embeddings.inputs ?? MAX_INPUTS, tokens: offer.embeddings.tokens };
  const calls = planInputs(settings, offer.contextLength, most, (index) => {
    const bytes = textBytes(settings.input, `${index}`) + queryBytes;
    return { bytes, bound: bytes + INPUT_OVERHEAD };
  });
  return calls.map((call) => {
    const asked = call.request as RerankRequest;
    const documents = asked.input.reduce((sum, _, index) => sum + Math.ceil(tokensOf(index, asked) / DOCUMENT_TOKENS), 0);
    return { ...call, request: { ...asked, searches: Math.ceil(documents / UNIT_DOCUMENTS) } };
  });
}
