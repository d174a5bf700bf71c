import { describeProvider } from '../describe-provider.js';
import { binarySuite, sampleSuite } from './sample-suites.js';

describeProvider(sampleSuite());
describeProvider(binarySuite());
