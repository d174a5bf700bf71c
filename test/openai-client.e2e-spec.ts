import { useGateway } from './clients/client-gateway.js';
import { describeOpenAIClient } from './clients/openai-client.js';
import { newestOpenAI, oldOpenAI } from './clients/openai-majors.js';
import { useLoopbackOnly } from './support/loopback-only.js';

useLoopbackOnly();
const gateway = useGateway();

describeOpenAIClient({ ...newestOpenAI, gateway });
describeOpenAIClient({ ...oldOpenAI, gateway });
