/** Whether a header Accept-Encoding names an encoding, other than with the weight 0. */
export function acceptsEncoding(header: string | undefined, encoding: string): boolean {
  return (header ?? '').split(',').some((one) => {
    const [name, weight] = one.trim().split(/\s*;\s*/);
    return name === encoding && !/^q=0(\.0*)?$/.test(weight ?? '');
  });
}
