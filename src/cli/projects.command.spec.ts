import { startedEach } from '../common/testing/started.js';
import { ProjectStore } from '../auth/project-store.js';
import { LedgerBench } from '../billing/testing/ledger-bench.js';
import { ConfigService } from '../config/config.service.js';
import { runCommand } from './testing/run-command.js';

describe('switchyard projects', () => {
  const bench = startedEach(() => LedgerBench.start(), 'stop');

  const switchyard = (...args: string[]) => runCommand(...args, '--config', bench.configFile());
  const newAccount = async (name: string) =>
    (JSON.parse((await switchyard('accounts', 'create', name, '--json')).out) as { id: string }).id;

  describe('with one whose id is the name of another', () => {
    let named: string;
    const ended = async () =>
      (await new ProjectStore(bench.database, new ConfigService(bench.store.config)).list())
        .filter((one) => one.archivedAt)
        .map(({ id }) => id);

    beforeEach(async () => {
      const projects = new ProjectStore(bench.database, new ConfigService(bench.store.config));
      await projects.create({ id: 'search', accountId: await newAccount('Acme'), name: 'Research' });
      ({ id: named } = await projects.create({ accountId: await newAccount('Globex'), name: 'search' }));
    });

    it.each([[['projects', 'archive']], [['projects', 'change', '--rpm', '5']], [['usage', '--project']]])(
      'say so and do nothing: %j',
      async (command) => {
        expect(await switchyard(...command, 'search')).toEqual({
          code: 1,
          out: '',
          err:
            `switchyard: 'search' is the id of a project of Acme and the name of ${named} of Globex: ` +
            `name the account with --account, in which an id comes before a name, or give the id ${named}\n`,
        });
        expect(await ended()).toEqual([]);
      },
    );

    it('take the one of the account that is named', async () => {
      expect(await switchyard('projects', 'archive', 'search', '--account', 'Globex')).toMatchObject({
        code: 0,
        out: `Archived project search (${named}) of Globex.\n`,
      });
      expect(await ended()).toEqual([named]);
      expect(await switchyard('projects', 'change', 'search', '--account', 'Acme', '--rpm', '5')).toMatchObject({
        code: 0,
        out: 'Changed project Research (search) of Acme.\n',
      });
    });
  });

  it('take a project whose id is its name as well', async () => {
    await new ProjectStore(bench.database, new ConfigService(bench.store.config)).create({
      id: 'search',
      accountId: await newAccount('Acme'),
      name: 'search',
    });
    expect(await switchyard('projects', 'archive', 'search')).toMatchObject({
      code: 0,
      out: 'Archived project search (search) of Acme.\n',
    });
  });
});
