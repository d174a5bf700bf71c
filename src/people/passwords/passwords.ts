import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Injectable } from '@nestjs/common';
import { DerivedSecrets } from '../../auth/derived-secrets.js';
import { ApiError } from '../../common/api-error.js';
import { Clock } from '../../common/time/clock.js';
import { AskersQueue } from '../../database/askers-queue.js';

const derive = promisify(argon2);

interface Cost {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** What OWASP's Password Storage Cheat Sheet asks for at least: KiB, passes, lanes. */
const COST: Cost = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;

const MIN_LENGTH = 10;
const MAX_LENGTH = 256;

/** Each takes a thread of Node's pool, of which there are four, and 19 MiB for about 40 ms. */
const MAX_RUNNING = 2;
/** Of all clients together. One client may send 100 attempts before it is refused, and others wait for few of them. */
const MAX_WAITING = 500;

const phc = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** What is compared with where there is no password, so that this takes the same time; nothing has this hash. */
const NOBODYS = written(COST, Buffer.alloc(SALT_BYTES), Buffer.alloc(HASH_BYTES));

/**
 * Hashes passwords with Argon2id, in threads of Node's, a few at a time. A secret that is made of the pepper goes into
 * each hash, so that nobody can try passwords with a stolen store alone.
 */
@Injectable()
export class Passwords {
  readonly #secret: Buffer;
  #running = 0;
  readonly #waiting: AskersQueue<void>;

  constructor(secrets: DerivedSecrets, clock: Clock) {
    this.#waiting = new AskersQueue({ most: MAX_WAITING }, clock);
    this.#secret = secrets.derive('password');
  }

  /**
   * @returns the hash with its salt and its cost, in the PHC format
   * @throws ApiError 400 invalid_request for a password that is too short or too long, 503 service_unavailable
   */
  async hash(password: string): Promise<string> {
    if (password.length < MIN_LENGTH || password.length > MAX_LENGTH)
      throw new ApiError('invalid_request', `password must have ${MIN_LENGTH} to ${MAX_LENGTH} characters`);
    const salt = randomBytes(SALT_BYTES);
    return written(COST, salt, await this.#derive(password, salt, COST, HASH_BYTES));
  }

  /**
   * @param stored of `hash`; undefined or null: there is none, which takes as long to find out
   * @throws ApiError 503 service_unavailable where too many others are to be compared
   */
  async matches(password: string, stored: string | null | undefined): Promise<boolean> {
    const [, memory, passes, parallelism, salt, hash] = phc.exec(stored ?? NOBODYS) ?? phc.exec(NOBODYS)!;
    const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
    const expected = Buffer.from(hash!, 'base64');
    const actual = await this.#derive(password.slice(0, MAX_LENGTH + 1), Buffer.from(salt!, 'base64'), cost, expected.length);
    return timingSafeEqual(actual, expected);
  }

  async #derive(password: string, nonce: Buffer, cost: Cost, tagLength: number): Promise<Buffer> {
    await this.#turn();
    try {
      // The same characters may come in several forms from several keyboards (NIST SP 800-63B, 3.1.1.2).
      return await derive('argon2id', { ...cost, message: password.normalize('NFKC'), nonce, tagLength, secret: this.#secret });
    } finally {
      if (this.#waiting.size > 0) this.#waiting.serve();
      else this.#running--;
    }
  }

  async #turn(): Promise<void> {
    if (this.#running < MAX_RUNNING) this.#running++;
    else if (this.#waiting.size < MAX_WAITING) await this.#waiting.wait();
    else throw new ApiError('service_unavailable', 'Too many people sign in at the moment. Please retry.', { retryAfter: 1 });
  }
}

function written({ memory, passes, parallelism }: Cost, salt: Buffer, hash: Buffer): string {
  const text = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(salt)}$${text(hash)}`;
}
