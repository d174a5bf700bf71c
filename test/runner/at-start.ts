import 'reflect-metadata';
// Not from the package's index: a spec that needs nothing of Nest would load all of it.
import { Logger } from '@nestjs/common/services/logger.service.js';
import { setPackageFolder } from '../../src/providers/package-folder.js';

/**
 * Runs before each spec file: what the one before has set for the whole process is as at a start, and what the code under
 * test logs through Nest is not printed. A spec that is about log lines sets a logger of its own or spies on `Logger.prototype`. SWITCHYARD_TEST_LOG=1 prints all of it.
 */
export default function atStart(): void {
  setPackageFolder(process.cwd());
  if (process.env['SWITCHYARD_TEST_LOG'] !== '1') Logger.overrideLogger(false);
}
