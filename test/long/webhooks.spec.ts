import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../src/cli/testing/run-command.js';
import { openDatabase } from '../../src/database/open-database.js';
import { WebhookReceiver } from '../../src/webhooks/testing/webhook-receiver.js';
import { GatewayProgram } from '../support/gateway-program.js';
import { until } from '../support/until.js';

it('sends a message again whose gateway was killed while it sent it, and one that was written while there was none', async () => {
  const program = await GatewayProgram.build();
  const receiver = await WebhookReceiver.start();
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-webhooks-'));
  const data_dir = join(folder, 'data');
  try {
    const { process } = await program.start({ store: { data_dir }, webhooks: { allow_http: true, allow_private_addresses: true } });
    const switchyard = async <T>(...args: string[]): Promise<T> => {
      const { code, out, err } = await runCommand(...args, '--json', '--config', join(process.cwd, 'switchyard.yaml'));
      expect({ code, err }).toEqual({ code: 0, err: '' });
      return JSON.parse(out) as T;
    };
    const [account] = await switchyard<{ id: string }[]>('accounts', 'list');
    const newKey = () => switchyard<{ id: string }>('keys', 'create', '-a', account!.id, '-e', 'live');
    const keys = [await newKey(), await newKey()] as const;
    await switchyard('webhooks', 'create', receiver.url, '-e', 'key.revoked');

    receiver.answers = () => new Promise(() => undefined);
    await switchyard('keys', 'revoke', keys[0].id);
    await until(() => receiver.received.length === 1, 'the first attempt');
    await process.stop();
    const store = await openDatabase({ data_dir });
    // The claim of the attempt has run out.
    await store.db.updateTable('webhook_delivery').set({ next_at: 0n }).execute();
    await store.close();
    await switchyard('keys', 'revoke', keys[1].id);
    receiver.answers = () => ({ status: 200 });
    await program.startIn(process.cwd).listening();
    await until(() => receiver.received.length === 3, 'both messages');
    const sent = receiver.received.map(({ body, headers }) => ({
      key: (JSON.parse(body) as { data: { key_id: string } }).data.key_id,
      message: headers['webhook-id'],
    }));
    const [first] = sent;
    expect(first!.key).toBe(keys[0].id);
    expect(sent.filter(({ key }) => key === keys[0].id)).toEqual([first, first]);
    expect(sent.filter(({ key }) => key === keys[1].id)).toHaveLength(1);
  } finally {
    await program.dispose();
    await receiver.stop();
    await rm(folder, { recursive: true });
  }
});
