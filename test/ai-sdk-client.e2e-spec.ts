import { describeAiSdkClient } from './clients/ai-sdk-client.js';
import { useGateway } from './clients/client-gateway.js';
import { useLoopbackOnly } from './support/loopback-only.js';

useLoopbackOnly();

describeAiSdkClient({ name: 'ai 7', gateway: useGateway() });
