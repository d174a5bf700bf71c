import { unsupportedNode } from './config/node-version.js';

const complaint = unsupportedNode(process.versions.node);
if (complaint) {
  console.error(complaint);
  process.exitCode = 1;
} else {
  const { start } = await import('./app.start.js');
  await start();
}
