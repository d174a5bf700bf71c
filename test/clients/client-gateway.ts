import { OpenRequests } from '../../src/http/server/open-requests.js';
import { Gateway } from '../support/gateway.js';
import { sandbox } from './sandbox-models.js';

/** What a client suite needs to know of the address it is run against. */
export interface ClientGateway {
  /** Ends with /v1. */
  readonly baseURL: string;
  readonly liveKey: string;
  /** Key of an account without credits. */
  readonly emptyKey: string;
  /** Ids of the sandbox's models at this address. */
  readonly models: typeof sandbox;
  /** Requests that are open where the text is generated. */
  openGenerations(): number;
}

/**
 * @param near answers the client
 * @param far generates
 * @param prefix of the far one's models at the near one
 */
export async function clientGateway(near: Gateway, far = near, prefix = ''): Promise<ClientGateway> {
  const empty = await near.newCustomer('0');
  return {
    baseURL: `${near.url}/v1`,
    liveKey: near.customer.liveKey,
    emptyKey: empty.liveKey,
    models: Object.fromEntries(Object.entries(sandbox).map(([name, id]) => [name, prefix + id])) as unknown as typeof sandbox,
    openGenerations: () => far.running.app.get(OpenRequests).size,
  };
}

/** One gateway for the clients of a file, answered by its sandbox. */
export function useGateway(): () => ClientGateway {
  let gateway: Gateway;
  let client: ClientGateway;
  beforeAll(async () => {
    gateway = await Gateway.start();
    client = await clientGateway(gateway);
  });
  afterAll(() => gateway.close());
  return () => client;
}
