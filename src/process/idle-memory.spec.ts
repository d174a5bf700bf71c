import { IdleMemory } from './idle-memory.js';

const MB = 1024 * 1024;

/** A gateway whose clock, traffic and memory the test sets. */
class Scene {
  readonly requests = { size: 0, entered: 0 };
  /** Bytes. */
  resident = 100 * MB;
  /** Seconds at which memory was collected. */
  readonly collected: number[] = [];
  #ms = 5_000_000;
  #seconds = 0;
  readonly memory = new IdleMemory(this.requests, {
    now: () => this.#ms,
    resident: () => this.resident,
    collect: () => this.collected.push(this.#seconds),
  });

  /** Lets seconds pass, with a check in each. @param entered requests in each second */
  pass(seconds: number, entered = 0): void {
    for (let i = 0; i < seconds; i++) {
      this.#ms += 1_000;
      this.#seconds++;
      this.requests.entered += entered;
      this.memory.check();
    }
  }

  /** @param growth bytes that it leaves */
  burst(seconds: number, growth = 80 * MB): void {
    this.pass(seconds, 500);
    this.resident += growth;
  }
}

describe('IdleMemory', () => {
  let scene: Scene;

  beforeEach(() => (scene = new Scene()));

  it('collects after a start of which nobody has asked more than checks do', () => {
    scene.requests.entered = 3;
    scene.memory.afterStart();
    expect(scene.collected).toEqual([0]);
  });

  it.each([
    { entered: 4, size: 0 },
    { entered: 1, size: 1 },
  ])('leaves a gateway alone that is in use after its start: %j', (requests) => {
    Object.assign(scene.requests, requests);
    scene.memory.afterStart();
    expect(scene.collected).toEqual([]);
  });

  it('leaves pauses under 15 seconds alone', () => {
    for (let i = 0; i < 5; i++) {
      scene.burst(3);
      scene.pass(14);
    }
    expect(scene.collected).toEqual([]);
  });

  it('collects once in a longer pause', () => {
    scene.burst(3);
    scene.pass(60);
    expect(scene.collected).toEqual([18]);
  });

  it('does not count the time of a request that is open', () => {
    scene.burst(3);
    scene.requests.size = 1;
    scene.pass(60);
    expect(scene.collected).toEqual([]);
    scene.requests.size = 0;
    scene.pass(20);
    expect(scene.collected).toEqual([78]);
  });

  it('takes scrapes and health checks for silence', () => {
    scene.burst(3);
    scene.pass(20, 3);
    expect(scene.collected).toEqual([18]);
  });

  it('does not collect for less than 32 MB', () => {
    scene.burst(3, 31 * MB);
    scene.pass(60);
    expect(scene.collected).toEqual([]);
  });

  it('counts growth from the least that was resident after a collection', () => {
    scene.burst(1);
    scene.pass(16);
    expect(scene.collected).toHaveLength(1);
    // The system has it back some seconds later.
    scene.resident = 110 * MB;
    scene.pass(10);
    scene.burst(1, 33 * MB);
    scene.pass(20);
    expect(scene.collected).toHaveLength(2);
  });
});
