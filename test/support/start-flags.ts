import { readFileSync } from 'node:fs';

const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { scripts: { start: string } };

/** What `npm start` gives to node before the program: whatever is measured runs as operators run it. */
export const startFlags: readonly string[] = /\bnode (.*)dist\/main\.js$/.exec(scripts.start)![1]!.split(' ').filter(Boolean);
