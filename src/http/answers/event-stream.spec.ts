import { jest } from '@jest/globals';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { asByteText, byteText } from '../../wire/byte-text.js';
import { errorBody } from '../../wire/error.js';
import { Backpressure } from '../requests/backpressure.js';
import { EventStream } from './event-stream.js';
import type { StreamFormat } from '../requests/stream-format.js';

const limits = { heartbeat: 15_000, stall_timeout: 60_000, max_buffered: 1024 * 1024 };

describe('EventStream', () => {
  let server: Server;
  const unreadSockets: Socket[] = [];

  afterEach(async () => {
    jest.restoreAllMocks();
    // One that is paused does not see that the server has closed it.
    for (const socket of unreadSockets.splice(0)) socket.destroy();
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });

  async function answer(
    write: (stream: EventStream, flow: Backpressure, response: ServerResponse) => void,
    format?: StreamFormat,
  ): Promise<string> {
    server = createServer((_, response) => {
      const flow = new Backpressure();
      write(new EventStream(response, flow, limits, { 'x-request-id': 'r' }, undefined, format), flow, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('x-request-id')).toBe('r');
    const text = await response.text();
    // The next one of the same test takes its place.
    server.close();
    return text;
  }

  it('writes exactly the data lines, blank lines and [DONE]', async () => {
    expect(
      await answer((stream) => {
        stream.event(asByteText('{"a":1}'));
        setImmediate(() => {
          stream.event(byteText('{"b":"é"}'));
          stream.done();
        });
      }),
    ).toBe('data: {"a":1}\n\ndata: {"b":"é"}\n\ndata: [DONE]\n\n');
  });

  it('writes the events and the end of another format, which may have no last event', async () => {
    const format: StreamFormat = {
      prefix: asByteText('event: '),
      done: asByteText(''),
      failed: ({ error }) => asByteText(`event: error\ndata: "${error.code}"\n\n`),
    };
    const named = (end: (stream: EventStream) => void): Promise<string> =>
      answer((stream) => {
        stream.event(asByteText('a\ndata: 1'));
        stream.events({ head: asByteText('b\ndata: '), literals: ['2', '3'].map(asByteText), tail: asByteText('0') });
        setImmediate(() => end(stream));
      }, format);
    const events = 'event: a\ndata: 1\n\nevent: b\ndata: 20\n\nevent: b\ndata: 30\n\n';
    expect(await named((stream) => stream.done())).toBe(events);
    expect(await named((stream) => stream.fail(errorBody('upstream_error', 'm')))).toBe(
      `${events}event: error\ndata: "upstream_error"\n\n`,
    );
  });

  it('writes the events of a tick at once, without waiting for the tick’s end', async () => {
    const waiting: number[] = [];
    await answer((stream, _flow, { socket }) => {
      stream.event(asByteText('{"a":1}'));
      stream.event(asByteText('{"b":2}'));
      process.nextTick(() => {
        waiting.push(socket!.writableLength);
        stream.done();
      });
    });
    expect(waiting).toEqual([0]);
  });

  it('frames each write as a chunk, for HTTP/1.1 only', async () => {
    const large = `"${'é'.repeat(20_000)}"`;
    const ascii = `"${'e'.repeat(20_000)}"`;
    server = createServer((_, response) => {
      const stream = new EventStream(response, new Backpressure(), limits, {});
      stream.event(byteText('{"b":"é"}'));
      setImmediate(() => {
        stream.event(byteText(large));
        setImmediate(() => {
          stream.event(asByteText(ascii));
          stream.done();
        });
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const bodyOf = async (version: string) => {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      socket.write(`GET / HTTP/${version}\r\nHost: a\r\nConnection: close\r\n\r\n`);
      const text = Buffer.concat(await socket.toArray()).toString();
      return text.slice(text.indexOf('\r\n\r\n') + 4);
    };
    const sizes = [18, 40_010, 20_010 + 14].map((size) => size.toString(16));
    expect(await bodyOf('1.1')).toBe(
      `${sizes[0]}\r\ndata: {"b":"é"}\n\n\r\n${sizes[1]}\r\ndata: ${large}\n\n\r\n${sizes[2]}\r\ndata: ${ascii}\n\ndata: [DONE]\n\n\r\n0\r\n\r\n`,
    );
    expect(await bodyOf('1.0')).toBe(`data: {"b":"é"}\n\ndata: ${large}\n\ndata: ${ascii}\n\ndata: [DONE]\n\n`);
  });

  it('keeps the connection for the next response', async () => {
    server = createServer((_, response) => {
      const stream = new EventStream(response, new Backpressure(), limits, {});
      stream.event(asByteText('{}'));
      setImmediate(() => stream.done());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    let text = '';
    for (let answers = 1; answers <= 3; answers++) {
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      while (text.split('\r\n0\r\n\r\n').length <= answers) text += String(await new Promise((resolve) => socket.once('data', resolve)));
    }
    socket.destroy();
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(3);
  });

  it('is sent after the earlier response on the connection', async () => {
    const streams: EventStream[] = [];
    const { promise: both, resolve } = Promise.withResolvers<void>();
    server = createServer((_, response) => {
      if (streams.push(new EventStream(response, new Backpressure(), limits, {})) === 2) resolve();
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const head = 'GET / HTTP/1.1\r\nhost: a\r\n';
    socket.write(`${head}\r\n${head}connection: close\r\n\r\n`);
    await both;
    for (let event = 0; event < 3; event++) {
      // The later one first.
      for (const [index, stream] of [...streams.entries()].reverse()) stream.event(asByteText(`"${index}${event}"`));
      await new Promise((passed) => setImmediate(passed));
    }
    streams[0]!.done();
    await new Promise((passed) => setImmediate(passed));
    streams[1]!.event(asByteText('"13"'));
    await new Promise((passed) => setImmediate(passed));
    streams[1]!.done();
    const text = Buffer.concat(await socket.toArray()).toString();
    expect(text.match(/"\d\d"/g)).toEqual(['"00"', '"01"', '"02"', '"10"', '"11"', '"12"', '"13"']);
  });

  it('ends a failed stream with its error and without [DONE]', async () => {
    const body = errorBody('upstream_error', 'cut');
    expect(
      await answer((stream) => {
        stream.event(asByteText('{"a":1}'));
        stream.fail(body);
        stream.event(asByteText('{"late":1}'));
        stream.done();
      }),
    ).toBe(`data: {"a":1}\n\ndata: ${JSON.stringify(body)}\n\n`);
  });

  it('sends a comment after silence only', async () => {
    expect(
      await answer((stream) => {
        stream.event(asByteText('{}'));
        stream.tick(Date.now() + limits.heartbeat - 1000);
        stream.tick(Date.now() + limits.heartbeat + 1000);
        setImmediate(() => stream.done());
      }),
    ).toBe('data: {}\n\n: keep-alive\n\ndata: [DONE]\n\n');
  });

  /** A client that sends its request and reads nothing. */
  async function unread(write: (stream: EventStream, flow: Backpressure, response: ServerResponse) => void): Promise<ServerResponse> {
    const opened = new Promise<ServerResponse>((resolve) => {
      server = createServer((_, response) => {
        const flow = new Backpressure();
        write(new EventStream(response, flow, limits, {}), flow, response);
        resolve(response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    unreadSockets.push(socket.pause());
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    return opened;
  }

  it('pauses the source when the client does not keep up, and tells where it sends on all the same', async () => {
    const event = JSON.stringify({ text: 'x'.repeat(64 * 1024) });
    const stopped = Promise.withResolvers<{ overrun: boolean; late: number }>();
    const response = await unread((stream, flow, raw) => {
      const push = (events: number, late: number): void => {
        if (flow.overrun || raw.destroyed || events === 1_000) return stopped.resolve({ overrun: flow.overrun, late });
        stream.event(asByteText(event));
        setImmediate(push, events + 1, flow.paused ? late + 1 : late);
      };
      push(0, 0);
    });
    const { overrun, late } = await stopped.promise;
    expect(overrun).toBe(true);
    expect(response.destroyed).toBe(false);
    expect(late * event.length).toBeLessThanOrEqual(limits.max_buffered + 3 * event.length);
  });

  /** A client that reads so many bytes at a time, and takes a third of the stall timeout for them by the clock. */
  async function slowly(bytes: number, write: (stream: EventStream, flow: Backpressure) => void): Promise<string> {
    let clock = 0;
    jest.spyOn(Date, 'now').mockImplementation(() => clock);
    server = createServer((_, response) => {
      const flow = new Backpressure();
      const stream = new EventStream(response, flow, limits, {});
      const ticking = setInterval(() => stream.tick(clock), 2);
      response.once('close', () => clearInterval(ticking));
      write(stream, flow);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined);
    client.write('GET / HTTP/1.0\r\n\r\n');
    const read: Buffer[] = [];
    let room = bytes;
    client.on('data', (part) => {
      read.push(part);
      room -= part.length;
      if (room > 0) return;
      client.pause();
      setTimeout(() => {
        room = bytes;
        clock += limits.stall_timeout / 3;
        client.resume();
      }, 20);
    });
    await new Promise((resolve) => client.once('close', resolve));
    return Buffer.concat(read).toString('latin1');
  }

  it('never cuts a client that reads, however slowly, and whatever came before the pause', async () => {
    const long = JSON.stringify({ text: 'x'.repeat(24 * 1024 * 1024) });
    let paused = false;
    const text = await slowly(2 * 1024 * 1024, (stream, flow) => {
      stream.event(asByteText(long));
      // What the same read of the provider's connection brought.
      setImmediate(() => {
        paused = flow.paused;
        stream.event(asByteText('{"behind":1}'));
        void flow.ready().then(() => stream.done());
      });
    });
    expect(paused).toBe(true);
    expect(text.length).toBeGreaterThan(long.length);
    expect(text.endsWith('}\n\ndata: {"behind":1}\n\ndata: [DONE]\n\n')).toBe(true);
  });

  it('resumes the source each time that the client has caught up', async () => {
    const event = JSON.stringify({ text: 'x'.repeat(64 * 1024) });
    const opened = Promise.withResolvers<ServerResponse>();
    server = createServer((_, response) => opened.resolve(response));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    unreadSockets.push(client);
    client.on('data', () => undefined);
    client.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    const response = await opened.promise;
    const flow = new Backpressure();
    const stream = new EventStream(response, flow, { ...limits, max_buffered: Number.POSITIVE_INFINITY }, {});
    const drains = () => response.socket!.listenerCount('drain');
    const before = drains();
    for (let round = 0; round < 3; round++) {
      client.pause();
      for (let events = 0; events < 500 && !flow.paused; events++) {
        stream.event(asByteText(event));
        await new Promise((passed) => setImmediate(passed));
      }
      expect(flow.paused).toBe(true);
      stream.event(asByteText(event));
      await new Promise((passed) => setImmediate(passed));
      expect(drains() - before).toBeLessThanOrEqual(1);
      client.resume();
      await flow.ready();
    }
    stream.done();
  });

  it('closes the connection of a client that has read nothing for the stall timeout', async () => {
    const ticked = Promise.withResolvers<boolean>();
    const response = await unread((stream, flow) => {
      stream.event(asByteText(JSON.stringify({ text: 'x'.repeat(16 * 1024 * 1024) })));
      setImmediate(() => {
        stream.tick(Date.now() + limits.stall_timeout + 1000);
        ticked.resolve(flow.paused);
      });
    });
    expect(await ticked.promise).toBe(true);
    expect(response.destroyed).toBe(true);
  });
});
