import { setTimeout as delay } from 'node:timers/promises';
import { describeEngines } from '../database/testing/describe-engines.js';
import { ModelSwitches } from './model-switches.js';
import { ModelSwitchStore } from './model-switch-store.js';

describeEngines('ModelSwitches', (open) => {
  let operator: ModelSwitchStore;
  let gateway: ModelSwitches;

  beforeAll(async () => {
    operator = new ModelSwitchStore(await open());
    const database = await open();
    gateway = new ModelSwitches(database, new ModelSwitchStore(database));
    await gateway.onModuleInit();
  });

  const seen = async (condition: () => boolean): Promise<boolean> => {
    const deadline = Date.now() + 30_000;
    while (!condition() && Date.now() < deadline) await delay(10);
    return condition();
  };

  it('follows what another process switches, and tells of it', async () => {
    let changes = 0;
    gateway.onChange(() => changes++);
    await operator.disable('m', undefined, 'Back at noon');
    await operator.disable('m', 'a');
    expect(await seen(() => gateway.all.length === 2)).toBe(true);
    expect(gateway.all).toMatchObject([
      { model: 'm', provider: undefined, message: 'Back at noon' },
      { model: 'm', provider: 'a', message: 'Switched off by the operator' },
    ]);
    await operator.disable('m', undefined, 'Back at one');
    expect(await seen(() => gateway.all[0]?.message === 'Back at one')).toBe(true);
    expect(await operator.enable('m', 'a')).toBe(1);
    expect(await operator.enable('m', 'a')).toBe(0);
    expect(await operator.enable('m')).toBe(1);
    expect(await seen(() => gateway.all.length === 0)).toBe(true);
    expect(changes).toBeGreaterThanOrEqual(3);
  });

  it('refuses what is too long or empty', async () => {
    await expect(operator.disable('')).rejects.toThrow(RangeError);
    await expect(operator.disable('m'.repeat(513))).rejects.toThrow(RangeError);
    await expect(operator.disable('m', undefined, 'x'.repeat(501))).rejects.toThrow(RangeError);
  });
});
