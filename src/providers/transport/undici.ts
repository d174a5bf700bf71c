import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Loads undici with the first connection: its 110 files take 3.5 MB, which a gateway without such providers saves. */
export const undici = () => require('undici') as typeof import('undici');
