import { describeLangChainClient } from './clients/langchain-client.js';
import { useGateway } from './clients/client-gateway.js';
import { useLoopbackOnly } from './support/loopback-only.js';

useLoopbackOnly();

describeLangChainClient({ name: '@langchain/openai 1', gateway: useGateway() });
