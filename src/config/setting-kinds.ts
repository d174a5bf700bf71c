import * as z from 'zod';

/** A time in milliseconds. @param what the setting's description */
export const milliseconds = (fallback: number, what: string) => z.int().min(1).default(fallback).describe(`${what} Milliseconds.`);

/** What is on or off. */
export const flag = (fallback: boolean, what: string) => z.boolean().default(fallback).describe(what);

/** What is on or off, or else as it is known without the setting. */
export const optionalFlag = (what: string) => z.boolean().optional().describe(what);
