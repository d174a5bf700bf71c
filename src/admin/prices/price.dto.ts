import { IsText, MayBeAbsent } from '../fields.js';
import { PageDto } from '../page.dto.js';

/** The query of lists about offers. */
export class OfferPageDto extends PageDto {
  /** Of this model alone. */
  @MayBeAbsent(IsText(512, 1))
  model?: string;

  /** Of this provider alone. */
  @MayBeAbsent(IsText(256, 1))
  provider?: string;
}
