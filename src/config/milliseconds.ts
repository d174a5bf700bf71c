import * as z from 'zod';

/** A time in milliseconds. @param what the setting's description */
export const milliseconds = (fallback: number, what: string) => z.int().min(1).default(fallback).describe(`${what} Milliseconds.`);
