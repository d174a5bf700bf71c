/** Adds a random sign, times the weight, to each number: the same signs for the same text. */
export function addSigns(sum: Float32Array, text: string, weight: number): void {
  let state = seedOf(text);
  let bits = 0;
  for (let at = 0; at < sum.length; at++) {
    if (at % 32 === 0) {
      // xorshift32 (Marsaglia 2003).
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      bits = state;
    }
    sum[at]! += bits & 1 ? weight : -weight;
    bits >>>= 1;
  }
}

/** FNV-1a of the UTF-16 code units, with its bits mixed; never 0, of which xorshift makes nothing else. */
function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  hash ^= hash >>> 16;
  return hash || 1;
}
