import { createHmac } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ProviderConfig } from '../../../config/config.schema.js';
import { configuredEndpoint, type Endpoint } from '../../protocols/endpoint.js';
import type { ProviderCall } from '../../model-provider.js';
import type { SignableRequest } from '../../transport/upstream-request.js';
import type { UpstreamResponse } from '../../transport/upstream-response.js';
import { SampleProvider } from './sample-provider.js';

export const BINARY = 'application/x-sample-frames';

/** Length and checksum of a frame, each four bytes: before its payload, and behind it. */
const EDGE = 4;

/**
 * The sample's wire in binary frames, whose requests are signed: the key itself never travels.
 */
export class BinarySampleProvider extends SampleProvider {
  override readonly name = 'Binary sample';

  protected override makeEndpoint(config: ProviderConfig): Endpoint {
    return { ...configuredEndpoint(config, () => ({})), sign: (request) => this.sign(request, config.api_key ?? '') };
  }

  protected sign(request: SignableRequest, key: string): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>> {
    return { ...request.headers, 'x-sample-signature': signatureOf(request, Buffer.concat(request.body), key) };
  }

  protected override async *frames(response: UpstreamResponse, { flow }: ProviderCall): AsyncGenerator<unknown, void> {
    let waiting = Buffer.alloc(0);
    for await (const bytes of response.bytes(flow)) {
      waiting = Buffer.concat([waiting, bytes]);
      for (let end = frameEnd(waiting); end > 0 && end <= waiting.length; end = frameEnd(waiting)) {
        yield JSON.parse(this.payload(waiting.subarray(0, end)));
        waiting = waiting.subarray(end);
      }
    }
    if (waiting.length > 0) throw this.bad();
  }

  /** @throws ProviderError where the frame is damaged */
  protected payload(bytes: Buffer): string {
    const payload = bytes.subarray(EDGE, -EDGE);
    if (crc32(payload) !== bytes.readUInt32BE(bytes.length - EDGE)) throw this.bad();
    return payload.toString();
  }
}

/** A signature over the request as it is sent. */
export function signatureOf({ method, path }: { method: string; path: string }, body: Buffer, key: string): string {
  return createHmac('sha256', key).update(`${method} ${path}\n`).update(body).digest('hex');
}

export function frame(event: object): Buffer {
  const payload = Buffer.from(JSON.stringify(event));
  const edges = [Buffer.alloc(EDGE), Buffer.alloc(EDGE)] as const;
  edges[0].writeUInt32BE(payload.length);
  edges[1].writeUInt32BE(crc32(payload));
  return Buffer.concat([edges[0], payload, edges[1]]);
}

/** Offsets at which the frames end. */
export function frameEnds(stream: Buffer): number[] {
  const ends: number[] = [];
  for (let at = 0; at + EDGE <= stream.length;) ends.push((at += frameEnd(stream.subarray(at))));
  return ends;
}

/** Where the first frame ends; 0 where its length has not come. */
function frameEnd(bytes: Buffer): number {
  return bytes.length < EDGE ? 0 : bytes.readUInt32BE(0) + 2 * EDGE;
}
