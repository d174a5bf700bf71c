import type { AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { reloadOnChange } from './app.reload.js';
import { createApp } from './app.setup.js';
import { greeting } from './app.greeting.js';
import { FirstStart, type StarterAccount } from './billing/first-start.js';
import type { Config } from './config/config.schema.js';
import { StartError } from './config/start-error.js';
import { StoreError } from './database/store-error.js';
import { withSourcePositions } from './observability/stack-trace.js';
import { loadConfiguration } from './providers/configuration.js';
import { ProviderRegistry } from './providers/provider-registry.js';

/** npm passes on a Ctrl-C that the terminal has also sent to us: milliseconds in which a second signal is the same one. */
const SAME_SIGNAL = 500;

/** Starts the gateway, tells where it is and lets a signal end it. */
export async function start(): Promise<void> {
  let config: Config | undefined;
  let app: NestFastifyApplication | undefined;
  let made: StarterAccount | undefined;
  try {
    const configuration = await loadConfiguration();
    ({ config } = configuration);
    app = await createApp(config, configuration.modules);
    await app.listen({ port: config.server.port, host: config.server.host });
    endOnSignal(app);
    reloadOnChange(app, configuration.source);
    // Not before it listens: a start that fails must not use up the one time that the keys are shown.
    made = await app.get(FirstStart).seed();
  } catch (error) {
    console.error(startComplaint(error, config));
    process.exitCode = 1;
    await app?.close();
    return;
  }
  console.log(greeting(baseAddress(config, app), providerIds(app), made));
}

function providerIds(app: NestFastifyApplication): string[] {
  return app
    .get(ProviderRegistry)
    .all()
    .map(({ id }) => id);
}

function baseAddress({ server }: Config, app: NestFastifyApplication): string {
  const { port } = app.getHttpServer().address() as AddressInfo;
  return `${server.public_url?.replace(/\/+$/, '') ?? `http://${reachable(server.host)}:${port}`}/v1`;
}

/** An address that a client on this machine can use. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

/** The first signal drains and exits with 0, a second one exits at once with 1. */
function endOnSignal(app: NestFastifyApplication): void {
  let first: number | undefined;
  const onSignal = (): void => {
    first ??= performance.now();
    if (performance.now() - first > SAME_SIGNAL) process.exit(1);
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
}

/** Why the start failed, for a person: one line for what an operator can mend, the stack for what is a fault of ours. */
function startComplaint(error: unknown, config: Config | undefined): string {
  if (error instanceof StartError || error instanceof StoreError) return error.message;
  const { code, syscall, path, stack, message } = error as NodeJS.ErrnoException;
  const { host, port } = config?.server ?? {};
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use. Choose another one with PORT or server.port, or stop what listens there.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is no address of this machine (${code}). Set HOST or server.host.`;
    case 'EACCES':
      if (syscall === 'listen')
        return `Port ${port} on ${host} may not be used by this user. Choose one above 1023 with PORT or server.port.`;
  }
  if (code && path) return `${path} cannot be used: ${message}`;
  return stack ? withSourcePositions(stack) : String(error);
}
