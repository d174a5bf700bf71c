/** Copies of the pieces between `offsets`, which are taken modulo the length; none is empty. */
export function cutAnywhere(bytes: Buffer, offsets: readonly number[]): Buffer[] {
  const cuts = new Set([...offsets.map((offset) => offset % (bytes.length + 1)), bytes.length]);
  let from = 0;
  const pieces: Buffer[] = [];
  for (const to of [...cuts].sort((one, other) => one - other)) {
    if (to > from) pieces.push(Buffer.from(bytes.subarray(from, to)));
    from = to;
  }
  return pieces;
}
