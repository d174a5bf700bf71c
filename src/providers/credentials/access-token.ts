import { systemClock } from '../../common/time/clock.js';
import { timeLimited } from '../../common/time/waits.js';
import type { Sign } from '../transport/upstream-request.js';

/** Milliseconds that fetching a token may take. Requests wait for it no longer than they may take to connect. */
const FETCH = 60_000;

/** A token as a vendor's client has fetched it. */
export interface FetchedToken {
  readonly token: string;
  /** Unix time in milliseconds. */
  readonly expiresAt: number;
  /** Headers that go with the token, in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Milliseconds before its end from which on a token is fetched anew. Vendors' clients and metadata services give the
 * old one until five minutes before its end.
 */
const EARLY = 4 * 60_000;

/** Milliseconds between two attempts to replace a token that is still good. */
const PATIENCE = 30_000;

/**
 * The token of one entry. It is fetched at the first request and shared by all; near its end it is fetched anew while
 * requests go on with the old one. Its times are the vendor's, by the machine's clock. There is one fetch at a time,
 * which goes on when the request that began it is left.
 */
export class AccessToken {
  #held: FetchedToken | undefined;
  #refreshAt = 0;
  #fetching: Promise<FetchedToken> | undefined;

  /**
   * @param load fetches a token; what it throws is thrown to all that wait for it
   * @param hide is told of each token before it is used
   */
  constructor(
    private readonly load: () => Promise<FetchedToken>,
    private readonly hide: (secret: string) => void,
  ) {}

  /** @returns a promise where there is no token that is good now */
  get(): FetchedToken | Promise<FetchedToken> {
    const held = this.#held;
    const now = Date.now();
    if (!held || now >= held.expiresAt) return (this.#fetching ??= this.#fetch());
    if (now >= this.#refreshAt && !this.#fetching) {
      this.#refreshAt = now + PATIENCE;
      this.#fetching = this.#fetch();
      this.#fetching.catch(() => undefined);
    }
    return held;
  }

  async #fetch(): Promise<FetchedToken> {
    try {
      const fetched = await timeLimited(systemClock, FETCH, this.load());
      this.hide(fetched.token);
      const lifetime = fetched.expiresAt - Date.now();
      this.#refreshAt = fetched.expiresAt - Math.min(EARLY, lifetime / 2);
      return (this.#held = fetched);
    } finally {
      this.#fetching = undefined;
    }
  }
}

/** Signs each request with the token. Headers that the request has already stay as they are. */
export function bearer(token: AccessToken): Sign {
  const signed = (own: Readonly<Record<string, string>>, fetched: FetchedToken): Record<string, string> => ({
    authorization: `Bearer ${fetched.token}`,
    ...fetched.headers,
    ...own,
  });
  return ({ headers }) => {
    const got = token.get();
    return got instanceof Promise ? got.then((fetched) => signed(headers, fetched)) : signed(headers, got);
  };
}
