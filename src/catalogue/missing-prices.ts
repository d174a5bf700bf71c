import { hostedCallers, hostedCallOf } from '../providers/contract/hosted-callers.js';
import type { Component } from '../wire/price-component.js';
import { isFree, type Offer } from './offer.js';

type Priced = Pick<Offer, 'price' | 'ownPrice' | 'parameters' | 'hostedCalls' | 'inputCeilings' | 'outputModalities'>;

/**
 * What a request can use of an offer that is paid for, and has no price: searches and hosted calls, which cost nothing
 * where the vendor makes them of itself, and are not asked for otherwise, and sound and generated images, which are
 * dearer than text. Data sets and lists leave out the prices of sound and images where they are those of text; an
 * operator's own price has to name them.
 */
function missingPrices(offer: Priced): readonly Component[] {
  const { price, ownPrice, parameters, hostedCalls, inputCeilings, outputModalities } = offer;
  if (!price || isFree(offer)) return [];
  const rates = price.components?.rates ?? {};
  // Vendors that search for every request price the request.
  const used = new Set<Component>(rates.request === undefined ? hostedCalls : []);
  for (const parameter of hostedCallers) if (parameters.has(parameter)) used.add(hostedCallOf(parameter)!);
  if (ownPrice) {
    const asked = (modality: string) => outputModalities.includes(modality) || parameters.has('modalities');
    if (inputCeilings.audio !== undefined) used.add('audio_input');
    if (asked('audio')) used.add('audio_output');
    if (asked('image')) used.add('image_output');
  }
  return [...used].filter((component) => rates[component] === undefined);
}

/** The offer as it is where the operator refuses what has no price. */
export function withPricesRequired(offer: Offer): Offer {
  if (!offer.status.active) return offer;
  const missing = missingPrices(offer);
  if (missing.length === 0) return offer;
  return { ...offer, status: { active: false, message: `no price set for ${missing.join(', ')}` }, unpriced: true };
}

/** Sentences for the operator, one for each offer that lacks a price of what can be used of it. */
export function missingPriceWarnings(offers: Iterable<Offer>): string[] {
  const sentences = new Set<string>();
  for (const offer of offers) {
    if (!offer.status.active && !offer.unpriced) continue;
    const missing = missingPrices(offer);
    if (missing.length === 0) continue;
    const [prefix, name] = [`${offer.modelId} at ${offer.provider.id} has no price for`, missing.join(', ')];
    const effects = offer.unpriced ? ['it is inactive'] : new Set(missing.map((component) => costOf(component, offer)));
    sentences.add(`${prefix} ${name}: ${[...effects].join(', and ')} (set it in its pricing, 0 where it costs nothing)`);
  }
  return [...sentences];
}

function costOf(component: Component, { hostedCalls, price }: Offer): string {
  if (component === 'search' || component === 'hosted_call')
    return hostedCalls.includes(component) || price?.components?.named.has(component)
      ? 'calls cost nothing'
      : 'parameters that ask for it do not go on';
  return component === 'audio_input' ? 'sound costs as much as text' : 'generated sound and images cost as much as text';
}
