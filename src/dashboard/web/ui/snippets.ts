export interface Snippet {
  readonly id: string;
  readonly label: string;
  readonly code: string;
}

/** How six clients call the gateway with a key. */
export function snippetsFor({ baseUrl, key, model }: { baseUrl: string; key: string; model: string }): Snippet[] {
  return [
    {
      id: 'curl',
      label: 'curl',
      code: `curl ${baseUrl}/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "${model}", "messages": [{"role": "user", "content": "Say hello."}]}'`,
    },
    {
      id: 'python',
      label: 'Python',
      code: `# pip install openai
from openai import OpenAI

client = OpenAI(base_url="${baseUrl}", api_key="${key}")

answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Say hello."}],
)
print(answer.choices[0].message.content)`,
    },
    {
      id: 'javascript',
      label: 'JavaScript',
      code: `// npm install openai
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${baseUrl}', apiKey: '${key}' });

const answer = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: 'Say hello.' }],
});
console.log(answer.choices[0].message.content);`,
    },
    {
      id: 'ai-sdk',
      label: 'AI SDK',
      code: `// npm install ai @ai-sdk/openai-compatible
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText } from 'ai';

const switchyard = createOpenAICompatible({
  name: 'switchyard',
  baseURL: '${baseUrl}',
  apiKey: '${key}',
});

const { text } = await generateText({ model: switchyard('${model}'), prompt: 'Say hello.' });
console.log(text);`,
    },
    {
      id: 'langchain',
      label: 'LangChain',
      code: `# pip install langchain-openai
from langchain_openai import ChatOpenAI

model = ChatOpenAI(base_url="${baseUrl}", api_key="${key}", model="${model}")
print(model.invoke("Say hello.").content)`,
    },
    {
      id: 'environment',
      label: '.env',
      code: `# Most clients of the OpenAI format read these.
OPENAI_BASE_URL=${baseUrl}
OPENAI_API_KEY=${key}`,
    },
  ];
}
