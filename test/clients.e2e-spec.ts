import { describeAiSdkClient } from './clients/ai-sdk-client.js';
import { useGateway } from './clients/client-gateway.js';
import { describeLangChainClient } from './clients/langchain-client.js';
import { describeOpenAIClient } from './clients/openai-client.js';
import { newestOpenAI, oldOpenAI } from './clients/openai-majors.js';
import { useLoopbackOnly } from './support/loopback-only.js';

useLoopbackOnly();
const gateway = useGateway();

describeOpenAIClient({ ...newestOpenAI, gateway });
describeOpenAIClient({ ...oldOpenAI, gateway });
describeLangChainClient({ name: '@langchain/openai 1', gateway });
describeAiSdkClient({ name: 'ai 7', gateway });
