import { createSecretKey, randomBytes } from 'node:crypto';
import { CarriedTexts } from '../carried-facts.js';
import { CarriedReader } from '../carried-reader.js';

/** As one store's gateways write and read them. */
export const carriedTexts = new CarriedTexts(createSecretKey(randomBytes(32)));

/** Reads what one request carries that `carriedTexts` has written. */
export const carriedReader = (): CarriedReader => new CarriedReader(carriedTexts);
