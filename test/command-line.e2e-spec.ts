import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../src/cli/testing/run-command.js';
import { sharedFolder } from '../src/common/testing/started.js';
import { describeGateways } from './support/describe-gateways.js';
import { useGateway } from './support/started.js';

describeGateways('The command line beside a gateway', (start) => {
  const gateway = useGateway(() => start());
  const folder = sharedFolder();
  const switchyard = (...args: string[]) => {
    const file = join(folder, 'switchyard.yaml');
    const { config, port } = gateway.running;
    // A JSON file is a YAML file.
    writeFileSync(
      file,
      JSON.stringify({ server: { port, public_url: 'https://elsewhere.invalid' }, store: config.store, keys: config.keys }),
    );
    return runCommand(...args, '--config', file);
  };

  it('lists the models at the configured port, with a key or without, and leaves no token behind', async () => {
    const { data } = (await gateway.get('models?active_only=true')).body as { data: { id: string }[] };
    const ids = (out: string) =>
      out
        .split('\n')
        .slice(1, -1)
        .map((line) => line.split(' ')[0]!);
    const own = await switchyard('models', 'list');
    expect(own).toMatchObject({ code: 0, err: '' });
    expect(ids(own.out)).toEqual(data.map(({ id }) => id).sort());
    const asKey = await switchyard('models', 'list', '--key', gateway.customer.liveKey);
    expect(ids(asKey.out).sort()).toEqual(ids(own.out));
    expect((await switchyard('tokens', 'list')).out).not.toContain('models list');
    expect(await switchyard('models', 'list', '--url', gateway.url)).toMatchObject({
      code: 1,
      err: expect.stringContaining('--url takes --key'),
    });
  });
});
