/** Copies of the bytes between `offsets`, which are taken modulo the length; no buffer is empty. */
export function cutAnywhere(bytes: Buffer, offsets: readonly number[]): Buffer[] {
  const cuts = new Set([...offsets.map((offset) => offset % (bytes.length + 1)), bytes.length]);
  let from = 0;
  const buffers: Buffer[] = [];
  for (const to of [...cuts].sort((one, other) => one - other)) {
    if (to > from) buffers.push(Buffer.from(bytes.subarray(from, to)));
    from = to;
  }
  return buffers;
}
