/**
 * Reads a day of ISO 8601, which begins at midnight UTC, or a time with its zone.
 * @returns milliseconds since 1970; NaN where the day or the time does not exist
 */
export function parseExistingTime(text: string): number {
  // Date.parse takes 31 February for 3 March.
  return new Date(text.slice(0, 10)).getUTCDate() === Number(text.slice(8, 10)) ? Date.parse(text) : NaN;
}
