/** The place of a request in a trace (W3C Trace Context). */
interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly sampled: boolean;
}

const form = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * Reads the header.
 * @returns undefined where it is absent or not well formed; the trace then begins here
 */
export function parseTraceparent(header: string | string[] | undefined): TraceContext | undefined {
  const match = typeof header === 'string' && header.length <= 512 ? form.exec(header) : undefined;
  if (!match) return undefined;
  const [, version, traceId, spanId, flags, more] = match;
  if (version === '00' && more !== undefined) return undefined;
  return { traceId: traceId!, spanId: spanId!, sampled: (Number.parseInt(flags!, 16) & 1) === 1 };
}

export function formatTraceparent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}
