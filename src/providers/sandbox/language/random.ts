/** Generates numbers in [0, 1) that depend on the seed alone (sfc32). */
export class Random {
  readonly #state: Uint32Array;

  constructor(seed: string) {
    let hash = 0x811c9dc5;
    const scramble = () => {
      hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
      hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
      return (hash ^= hash >>> 15);
    };
    for (let i = 0; i < seed.length; i++) hash = Math.imul(hash ^ seed.charCodeAt(i), 0x01000193);
    this.#state = Uint32Array.of(scramble(), scramble(), scramble(), 1);
    for (let i = 0; i < 12; i++) this.next();
  }

  next(): number {
    const state = this.#state;
    const [a, b, c] = [state[0]!, state[1]!, state[2]!];
    const sum = (a + b + state[3]!++) >>> 0;
    state[0] = b ^ (b >>> 9);
    state[1] = c + (c << 3);
    state[2] = ((c << 21) | (c >>> 11)) + sum;
    return sum / 2 ** 32;
  }

  /** A whole number in [0, bound). */
  int(bound: number): number {
    return Math.floor(this.next() * bound);
  }
}
