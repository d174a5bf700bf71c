import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Loads undici with the first connection: its 110 files would take 4 % of the time until the gateway listens. */
export const undici = () => require('undici') as typeof import('undici');
