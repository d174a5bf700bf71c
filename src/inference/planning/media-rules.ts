import type { Offer } from '../../catalogue/offer.js';
import { ApiError } from '../../common/api-error.js';
import { isAccountId } from '../../providers/contract/extra-parameters.js';
import { mediaAddressProblem } from './media-address.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import { isAddressMember, isMediaType, modalityOfMember, modalityOfType } from '../../wire/media-part.js';
import { contentParts } from '../fitting/content-parts.js';

/**
 * Refuses media that a provider would find with the rights of the operator: by ids of files in the operator's account,
 * at addresses inside of the operator's network, or in files of the provider's machine. Data is let through.
 * @throws ApiError 400 unsupported_parameter, invalid_request
 */
export function requireOwnMedia(offer: Offer, request: ChatGenerationRequest): void {
  if (offer.accountIds && offer.internalMedia) return;
  for (let index = 0; index < request.messages.length; index++) {
    const message = request.messages[index]!;
    for (const name in message) {
      if (name !== 'content') {
        if (modalityOfMember(name)) check(offer, message, name, `messages[${index}]`);
        continue;
      }
      const parts = contentParts(message);
      if (!parts) continue;
      for (const part of parts) {
        const text = modalityOfType(part) === 'text';
        for (const member in part) {
          // Some servers look for media under its name, whatever a part says to be.
          if (member !== 'type' && (!text || isMediaType(member))) check(offer, part, member, `messages[${index}].content`);
        }
      }
    }
  }
}

/** Characters of a text that is read, and of one that is looked at where it is longer. */
const READ = 64 * 1024;
const BEGINNING = 4_096;

/** What somebody may take for an address, whatever the member's name: parsers add slashes that are missing. */
const address = /^\s*(file:|https?:|[a-z][a-z\d+.-]+:\/\/)\S*\s*$/i;

/** A beginning of which all is white space, or a part of an address: its host comes behind it. */
const unfinished = /^\s*(?:[a-z][a-z\d+.-]+:\/\/[^/?#]*)?$|^\s+[a-z\d+.-]*:?\/?$/i;

/** Recursion is safe, because the depth of a body is limited. */
function check(offer: Offer, holder: object, name: string, where: string, kind = name): void {
  const whole = (holder as Record<string, unknown>)[name];
  if (whole == null) return;
  const value = typeof whole === 'string' ? beginningOf(whole) : whole;
  // The one id that a message itself may have is that of a sound that the vendor has kept.
  if (!offer.accountIds && (isAccountId(name) || (name === 'id' && where.endsWith('audio')))) throw accountId(offer, `${where}.${name}`);
  if (typeof value === 'string') {
    const refused = addressProblem(offer, value, kind);
    // Behind a beginning that is one word may come more: then it is prose.
    const isPart = value !== whole && !isAddressMember(kind);
    if (refused && (!isPart || addressProblem(offer, whole as string, kind))) throw refusal(offer, refused, `${where}.${kind}`);
  } else if (Array.isArray(value))
    for (let index = 0; index < value.length; index++) check(offer, value, `${index}`, `${where}.${name}`, kind);
  else if (typeof value === 'object') for (const inner in value) check(offer, value, inner, `${where}.${name}`);
}

/** The beginning of a long text where it tells the host of an address; otherwise all of it. */
function beginningOf(text: string): string {
  const beginning = text.length > READ ? text.slice(0, BEGINNING) : text;
  return unfinished.test(beginning) ? text : beginning;
}

type Problem = NonNullable<ReturnType<typeof mediaAddressProblem>>;

function addressProblem(offer: Offer, value: string, name: string): Problem | undefined {
  // Elsewhere an address would be read only by who looks for one.
  if (!isAddressMember(name) && !address.test(value)) return undefined;
  const problem = mediaAddressProblem(value, offer.internalMedia, offer.ownHost);
  const allowed = problem === 'account' ? offer.accountIds : offer.internalMedia;
  return allowed ? undefined : problem;
}

function refusal(offer: Offer, problem: Problem, parameter: string): ApiError {
  if (problem === 'account') return accountId(offer, parameter);
  const wrong = problem === 'internal' ? 'is an address inside of a network' : 'must be an http(s) address or a data: URL';
  return new ApiError('invalid_request', `${parameter} ${wrong}: it is not passed on to the model '${offer.modelId}'`);
}

export function accountId(offer: Offer, parameter: string): ApiError {
  return new ApiError(
    'unsupported_parameter',
    `The model '${offer.modelId}' does not support '${parameter.slice(0, 100)}': ids of the gateway's own account at a provider are not passed on`,
  );
}
