import 'reflect-metadata';
// Not from the package's index: a spec that needs nothing of Nest would load all of it.
import { Logger } from '@nestjs/common/services/logger.service.js';
import { LoopbackUpstream } from '../../src/providers/testing/loopback-upstream.js';
import { vendor } from '../../src/providers/testing/strict-vendors/strict-vendors.js';
import { setPackageFolder } from '../../src/providers/modules/package-folder.js';

/**
 * Runs before each spec file: what the one before has set for the whole process is as at a start, and what the code under
 * test logs through Nest is not printed. A spec that is about log lines sets a logger of its own or spies on `Logger.prototype`. SWITCHYARD_TEST_LOG=1 prints all of it.
 */
export default function atStart(): void {
  setPackageFolder(process.cwd());
  LoopbackUpstream.accepts = vendor();
  Object.assign(globalThis, { [Symbol.for('switchyard.refused')]: LoopbackUpstream.refused });
  if (process.env['SWITCHYARD_TEST_LOG'] !== '1') Logger.overrideLogger(false);
}
