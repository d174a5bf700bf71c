import { type CatalogueModel, statusOf } from '../../catalogue/catalogue-model.js';
import type { ModelHealth } from '../../catalogue/model-health.js';
import { MAX_MESSAGE_LENGTH, type ModelSwitch } from '../../catalogue/model-switch-store.js';
import { knownLimit, type Offer } from '../../catalogue/offer.js';
import type { PriceQuote } from '../../common/prices/credits.js';
import { quoteOf } from '../../common/prices/price-quote.js';
import { IsBoolean } from '../../common/validation/class-validator.js';
import type { Integer } from '../../wire/integer.js';
import type { ModelStatus } from '../../wire/model.js';
import { IsFlag, IsText, isoTime, MayBeAbsent } from '../fields.js';
import { PageDto, SearchDto } from '../page.dto.js';

/** No account has it: what holds for it holds for all. */
const NO_ACCOUNT = '';

/** Which models of the catalogue are listed. */
export class OperatorModelsDto extends SearchDto {
  /** Only those of which a switch, or something else, has taken an offer out of service. */
  @IsFlag()
  out_of_service = false;
}

/** Which switches are listed. */
export class ModelSwitchesDto extends PageDto {
  /** Only those of what somebody offers at present, or of what nobody does. */
  @MayBeAbsent(IsFlag())
  offered?: boolean;
}

export class EnableModelDto {
  /** Only the offer of this provider. */
  @MayBeAbsent(IsText(256, 1))
  provider?: string;
}

export class DisableModelDto extends EnableModelDto {
  /** What clients see. */
  @MayBeAbsent(IsText(MAX_MESSAGE_LENGTH, 1))
  message?: string;

  /** Also where nobody offers it at present: for a model of a module or a provider that will come. */
  @MayBeAbsent(IsBoolean())
  force = false;
}

/** A model at one provider. */
export class ModelOfferView {
  provider: string;
  /** What the provider calls it. */
  upstream_model: string;
  /** Whether it is in service, and if not, why; a pause after failures is part of `offers`. */
  status: ModelStatus;
  /** The price in force, in credits per 1,000 units; null where none is known. */
  price: PriceQuote | null;
  /** Its share of the traffic under the weighted strategy, relative to the other offers. */
  weight: number;
  /** Tokens. */
  context_length: Integer;
  /** Tokens. */
  max_tokens: Integer;
}

/** What has taken a model, or one of its offers, out of service. */
export class ModelSwitchView {
  model: string;
  /** Whose offer alone is switched off; null: all of them. */
  provider: string | null;
  message: string;
  created_at: string;
}

/** A model of the catalogue. */
export class OperatorModelView {
  id: string;
  /** Whether any of its offers is in service for everybody, at this gateway. */
  status: ModelStatus;
  /** In the order of preference; none where nobody offers it. */
  offers: ModelOfferView[];
  /** What is switched off of it, under this id. */
  switches: ModelSwitchView[];
}

/** What a switch has changed. */
export class SwitchedView {
  model: string;
  provider: string | null;
  /** How many switches there were. */
  lifted: Integer;
}

/** A model that was switched off before anybody offers it. */
export function unofferedModelView(id: string, switches: readonly ModelSwitch[]): OperatorModelView {
  const own = switches.filter(({ model }) => model === id);
  return { id, status: { active: false, message: own[0]?.message ?? '' }, offers: [], switches: own.map(switchView) };
}

export function modelView({ id, offers }: CatalogueModel, health: ModelHealth, switches: readonly ModelSwitch[]): OperatorModelView {
  return {
    id,
    status: statusOf({ offers }, health, NO_ACCOUNT),
    offers: offers.map(modelOfferView),
    switches: switches.filter(({ model }) => model === id).map(switchView),
  };
}

/** Whether something of it is out of service, or switched off. */
export function isOut({ switches, status, offers }: OperatorModelView): boolean {
  return switches.length > 0 || !status.active || offers.some((offer) => !offer.status.active);
}

function modelOfferView(offer: Offer): ModelOfferView {
  const { provider, upstreamModel, status, price, weight, contextLength } = offer;
  return {
    provider: provider.id,
    upstream_model: upstreamModel,
    status,
    price: price ? quoteOf(price) : null,
    weight,
    context_length: contextLength,
    max_tokens: knownLimit(offer),
  };
}

export function switchView({ model, provider, message, createdAt }: ModelSwitch): ModelSwitchView {
  return { model, provider: provider ?? null, message, created_at: isoTime(createdAt) };
}
