import { describeProvider } from '../describe-provider.js';
import { sampleSuite } from './sample-suites.js';

describeProvider(sampleSuite());
