import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

const mocker = new ModuleMocker(globalThis);
const timers = new ModernFakeTimers({ config: { fakeTimers: {} }, global: globalThis });
const realNow = Date.now;
const realSetTimeout = setTimeout;
const realExit = process.exit.bind(process);

/** The `jest` that specs import: jest-globals.mjs. */
globalThis[Symbol.for('switchyard.jest')] = { mocker, timers };

/**
 * The worker's own context. Where a test leaves something that the next one would meet, it fails, and it is put back;
 * so does a spec file whose `beforeAll` does.
 */
export default class NativeEnvironment {
  global = globalThis;
  fakeTimers = null;
  fakeTimersModern = timers;
  moduleMocker = mocker;
  #beforeFile = remaining();
  #beforeTest;
  #isChosen;

  /** Options of a project: it runs the specs alone whose full name matches `only`, and none whose name matches `without`. */
  constructor({ projectConfig: { testEnvironmentOptions: { only = '', without } = {} } }) {
    const chosen = new RegExp(only);
    const left = without === undefined ? undefined : new RegExp(without);
    this.#isChosen = (name) => chosen.test(name) && !left?.test(name);
  }

  getVmContext = () => null;
  exportConditions = () => ['node', 'node-addons'];
  setup = () => Promise.resolve();

  async teardown() {
    // Jest wraps it for each file, and `jest.setTimeout` is for one file.
    process.exit = realExit;
    delete globalThis[Symbol.for('TEST_TIMEOUT_SYMBOL')];
  }

  handleTestEvent(event, state) {
    if (event.name === 'run_start') {
      keepChosen(state.rootDescribeBlock, '', this.#isChosen);
      // Circus has listeners of its own while a file runs.
      this.#beforeFile.listeners = remaining().listeners;
    }
    if (event.name === 'test_start') this.#beforeTest = remaining();
    if (event.name === 'test_done') {
      const left = putBack(this.#beforeTest);
      if (left.length > 0) event.test.errors.push([new Error(`This test left behind: ${left.join(', ')}`), undefined]);
      const refused = globalThis[Symbol.for('switchyard.refused')].splice(0);
      if (refused.length > 0) event.test.errors.push([new Error(`A vendor refused: ${refused.join('; ')}`), undefined]);
    }
    if (event.name === 'run_finish') {
      const left = putBack(this.#beforeFile);
      if (left.length > 0) state.unhandledErrors.push(new Error(`This spec file left behind: ${left.join(', ')}`));
    }
  }
}

/** Takes the other specs out of a block, and what is empty then. */
function keepChosen(block, name, isChosen) {
  block.children = block.children.filter((child) => {
    const full = `${name} ${child.name}`.trim();
    if (child.type === 'describeBlock') return keepChosen(child, full, isChosen);
    return isChosen(full);
  });
  return block.children.length > 0;
}

/** What one test could change for another. */
function remaining() {
  return {
    environment: { ...process.env },
    listeners: new Map(watched().map((name) => [name, process.rawListeners(name)])),
    folder: process.cwd(),
  };
}

/** Libraries listen for the end of the process from when they are loaded. */
function watched() {
  return process.eventNames().filter((name) => name !== 'exit' && name !== 'beforeExit');
}

/** @returns what differed */
function putBack({ environment, listeners, folder }) {
  const left = [];
  if (globalThis.setTimeout !== realSetTimeout || Date.now !== realNow) {
    left.push('fake timers');
    timers.useRealTimers();
    mocker.restoreAllMocks();
  }
  for (const name of new Set([...Object.keys(environment), ...Object.keys(process.env)])) {
    if (process.env[name] === environment[name]) continue;
    left.push(`process.env.${name}`);
    if (environment[name] === undefined) delete process.env[name];
    else process.env[name] = environment[name];
  }
  for (const name of watched()) {
    const before = listeners.get(name) ?? [];
    for (const listener of process.rawListeners(name)) {
      if (before.includes(listener)) continue;
      left.push(`a listener of ${String(name)}`);
      process.removeListener(name, listener);
    }
  }
  if (process.cwd() !== folder) {
    left.push('the working folder');
    process.chdir(folder);
  }
  return left;
}
