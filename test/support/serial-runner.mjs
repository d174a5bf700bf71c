import JestRunner from 'jest-runner';

/**
 * Runs the spec files of a project one after the other, each in a worker that is replaced where it has taken much memory:
 * what they measure is theirs alone. Jest runs the files of different runners after each other, too.
 */
export default class SerialRunner extends JestRunner {
  constructor(globalConfig, context) {
    super({ ...globalConfig, maxWorkers: 1 }, context);
  }
}
