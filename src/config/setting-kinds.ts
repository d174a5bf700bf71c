import * as z from 'zod';

/** A time in milliseconds. @param what the setting's description */
export const milliseconds = (fallback: number, what: string) => z.int().min(1).default(fallback).describe(`${what} Milliseconds.`);

/** What is on or off. */
export const flag = (fallback: boolean, what: string) => z.boolean().default(fallback).describe(what);

/** What is on or off, or else as it is known without the setting. */
export const optionalFlag = (what: string) => z.boolean().optional().describe(what);

/** Checked within a refinement: validators of JSON schemas know no format of ranges. */
export const addressRange = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

/** An origin in the form in which browsers send it, with which it is compared. */
export const browserOrigin = z.string().refine(isOrigin, {
  error: ({ input }) =>
    input === '*'
      ? 'must name each origin; * would let every page call'
      : 'must be an origin as browsers send it, such as https://app.example.com: in lower case, without a path or a slash at its end, and without the usual port',
});

function isOrigin(text: string): boolean {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\sA-Z/?#@*]+$/.test(text) || !URL.canParse(text)) return false;
  const { origin, href } = new URL(text);
  // Only origins of the web's own schemes have one form; those of extensions are written as they are.
  return origin === 'null' ? href === text : origin === text;
}
