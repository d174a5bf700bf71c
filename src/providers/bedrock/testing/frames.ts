import { EventStreamCodec } from '@smithy/eventstream-codec';
import { eventStreamCodec } from '../event-frames.js';

const codec = eventStreamCodec(EventStreamCodec) as EventStreamCodec;

/** A frame of an event of Converse. */
export function frame(name: string, event: object): Buffer {
  return encoded({ ':event-type': name, ':content-type': 'application/json', ':message-type': 'event' }, JSON.stringify(event));
}

/** A frame of an exception in the stream. */
export function exceptionFrame(name: string, body: string): Buffer {
  return encoded({ ':exception-type': name, ':content-type': 'application/json', ':message-type': 'exception' }, body);
}

export function encoded(headers: Readonly<Record<string, string>>, body: string): Buffer {
  const typed = Object.entries(headers).map(([name, value]) => [name, { type: 'string' as const, value }]);
  return Buffer.from(codec.encode({ headers: Object.fromEntries(typed), body: Buffer.from(body) }));
}

/** Offsets at which the frames end. */
export function frameEnds(stream: Buffer): number[] {
  const ends: number[] = [];
  for (let at = 0; at + 4 <= stream.length;) ends.push((at += stream.readUInt32BE(at)));
  return ends;
}

type Events = readonly (readonly [name: string, event: object])[];

/** The stream of an answer: its blocks' events between its beginning and its end. */
export function streamOf(events: Events, stopReason: string, metadata: object): Buffer {
  const whole: Events = [['messageStart', { role: 'assistant' }], ...events, ['messageStop', { stopReason }], ['metadata', metadata]];
  return Buffer.concat(whole.map(([name, event], index) => frame(name, { ...event, p: 'abcdefgh'.slice(0, index % 8) })));
}

/** The events of a block that is told in pieces. */
export function block(contentBlockIndex: number, deltas: readonly object[], start?: object): Events {
  return [
    ...(start ? [['contentBlockStart', { contentBlockIndex, start }] as const] : []),
    ...deltas.map((delta) => ['contentBlockDelta', { contentBlockIndex, delta }] as const),
    ['contentBlockStop', { contentBlockIndex }],
  ];
}
