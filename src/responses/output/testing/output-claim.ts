import { AnswerBudget, ByteClaim } from '../../../common/limits/byte-budget.js';
import { OutputClaim } from '../output-claim.js';

/** A claim for which there is room. */
export const roomForAll = (): OutputClaim => new OutputClaim(new ByteClaim(new AnswerBudget(Number.MAX_SAFE_INTEGER)));
