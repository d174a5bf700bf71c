import { Global, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { systemClock } from '../../common/time/clock.js';
import { ClockModule } from '../../common/time/clock.module.js';
import { ExternalProvidersModule } from './external-providers.module.js';
import { guardEndHooks } from './guarded-end-hooks.js';

class Ledger {
  closed = false;

  onApplicationShutdown(): void {
    this.closed = true;
  }
}

@Module({ providers: [Ledger], exports: [Ledger] })
class GatewayPart {}

/** What the gateway ends with may take long, also in a global module of its own. */
class Slow {
  async onModuleDestroy(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 20));
    slowEnded = true;
  }
}

let slowEnded = false;

@Global()
@Module({ imports: [GatewayPart], providers: [Slow] })
class GlobalPart {}

@Module({})
class Gateway {}

describe('Hooks of a module from outside', () => {
  const endWith = async (hooks: [name: string, hook: () => unknown][], global = false) => {
    class Foreign {}
    for (const [name, hook] of hooks) Object.assign(Foreign.prototype, { [name]: hook });
    class Inner {}
    Module({ providers: [Foreign], exports: [Foreign] })(Inner);
    if (global) Global()(Inner);
    class Outer {}
    Module({ imports: [Inner, GatewayPart] })(Outer);
    const external = ExternalProvidersModule.forRoot([{ types: [], nest: Outer }]);
    const root = { module: Gateway, imports: [ClockModule.forRoot(systemClock), external, GlobalPart] };
    const app = await NestFactory.createApplicationContext(root, { logger: false });
    guardEndHooks(app, root, 5);
    slowEnded = false;
    await app.close();
    expect(slowEnded).toBe(true);
    return app.get(Ledger).closed;
  };
  it.each(['onModuleDestroy', 'beforeApplicationShutdown', 'onApplicationShutdown'])(
    'do not keep the gateway from its own where %s never ends, also where the module is global',
    async (name) => {
      const hanging = () => new Promise(() => {});
      expect(await endWith([[name, hanging]])).toBe(true);
      expect(await endWith([[name, hanging]], true)).toBe(true);
    },
  );

  it('are called', async () => {
    const called: string[] = [];
    const names = ['onModuleDestroy', 'beforeApplicationShutdown', 'onApplicationShutdown'];
    await endWith(names.map((name) => [name, () => called.push(name)]));
    expect(called).toEqual(names);
  });
});
