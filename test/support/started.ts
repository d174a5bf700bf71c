import { verifyLedger } from '../../src/billing/verify-ledger.js';
import { started } from '../../src/common/testing/started.js';
import { Database } from '../../src/database/database.js';
import { type Accepts, LoopbackUpstream } from '../../src/providers/testing/loopback-upstream.js';
import { Administration } from './administration.js';
import type { TestApp } from './create-test-app.js';
import type { Gateway } from './gateway.js';

/**
 * A provider for the tests of a block.
 * @param accepts what it takes; absent: what the vendor of the path does
 */
export const useUpstream = (accepts?: Accepts): LoopbackUpstream =>
  started(async () => Object.assign(await LoopbackUpstream.start(), { accepts }), 'stop');

/** A gateway, or its app, for the tests of a block. What it needs has to be asked for before. */
export const useGateway = <T extends Gateway | TestApp>(start: () => Promise<T>): T => started<T>(start, 'close');

/** What the tests of a block need beside a gateway: a server of mails, a database. */
export const useServer = <T extends { stop(): Promise<unknown> }>(start: () => Promise<T>): T => started<T>(start, 'stop');

/** The books of a gateway agree behind each test of the block. */
export const useLedgerChecks = (gateway: Gateway): void =>
  afterEach(async () => {
    await gateway.balance();
    expect((await verifyLedger(gateway.running.app.get(Database))).findings).toEqual([]);
  });

/** An operator of a gateway of the block. */
export const useOperator = (gateway: Gateway): Administration => started(() => Administration.as(gateway.running, 'operator'));
