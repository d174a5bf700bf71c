import * as z from 'zod';
import { milliseconds } from './setting-kinds.js';

const HOUR = 3_600_000;

export const dashboardSchema = z
  .strictObject({
    session_idle: milliseconds(12 * HOUR, 'Time without a request after which whoever is signed in must sign in again.'),
    session_lifetime: milliseconds(7 * 24 * HOUR, 'Time after which they must in any case.'),
  })
  .prefault({})
  .describe('The pages in which people look after accounts, and how they sign in.');
