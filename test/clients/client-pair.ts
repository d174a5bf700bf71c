import { Gateway } from '../support/gateway.js';
import { type ClientGateway, clientGateway } from './client-gateway.js';

export interface Pair {
  /** Answers the clients; every model `far/...` of its catalogue is the far one's. */
  readonly near: Gateway;
  /** Generates. To the near one it is an address and a key, like any other of the OpenAI format. */
  readonly far: Gateway;
  readonly client: ClientGateway;
}

const PREFIX = 'far/';

/** One gateway in front of another, over HTTP, for the tests of a block. */
export function usePair(): () => Pair {
  let pair: Pair;
  beforeAll(async () => {
    const far = await Gateway.start();
    const provider = { name: 'Far', base_url: `${far.url}/v1`, api_key: far.customer.liveKey, prefix: PREFIX };
    const near = await Gateway.start({ providers: { far: provider } });
    pair = { near, far, client: await clientGateway(near, far, PREFIX) };
  });
  afterAll(async () => {
    await pair.near.close();
    await pair.far.close();
  });
  return () => pair;
}
