import { CompiledRules } from './compiled-rules.js';

describe('the rules of keys', () => {
  const textOf = (name: string) => ({ kind: 'key' as const, id: name, text: JSON.stringify({ models: { allow: [name.repeat(1_000)] } }) });

  it('are compiled when they are needed, and remembered as far as there is room', () => {
    const compiled = new CompiledRules(100_000);
    const all = Array.from({ length: 200 }, (_, n) => compiled.of('live', [textOf(String.fromCharCode(97 + (n % 26)))]));
    expect(compiled.weight).toBe(0);
    const first = all[0]!.value;
    expect(all[0]!.value).toBe(first);
    for (const rules of all) {
      expect(rules.value!.access!.allowsModel('none')).toBe(false);
      expect(compiled.weight).toBeLessThanOrEqual(100_000);
    }
    expect(compiled.weight).toBeGreaterThan(90_000);
    expect(all[0]!.value).not.toBe(first);
    expect(all[0]!.value!.access!.allowsModel('a'.repeat(1_000))).toBe(true);
  });

  it('are none where there is no text, and larger ones than there is room for hold all the same', () => {
    const compiled = new CompiledRules(10);
    expect(compiled.of('live', []).value).toBeUndefined();
    const rules = compiled.of('live', [textOf('a')]);
    expect(rules.value!.access!.allowsModel('b')).toBe(false);
    expect(compiled.weight).toBe(0);
    expect(rules.value!.access!.allowsModel('a'.repeat(1_000))).toBe(true);
  });
});
