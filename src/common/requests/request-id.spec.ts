import { newRequestId } from './request-id.js';

describe('newRequestId', () => {
  it('gives distinct UUIDv7 of the moment, beyond the bytes that are drawn at once', () => {
    const before = Date.now();
    const ids = Array.from({ length: 1_000 }, newRequestId);
    const after = Date.now();
    expect(new Set(ids).size).toBe(1_000);
    // The random part alone must differ too: no two ids share their last 62 bits.
    expect(new Set(ids.map((id) => id.slice(19))).size).toBe(1_000);
    for (const id of ids) {
      expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
      const ms = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
      expect(ms).toBeGreaterThanOrEqual(before);
      expect(ms).toBeLessThanOrEqual(after);
    }
  });
});
