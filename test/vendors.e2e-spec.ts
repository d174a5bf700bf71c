import { Ajv } from 'ajv';
import type { RecordedRequest } from '../src/providers/testing/loopback-upstream.js';
import type { Recipe } from './clients/recipe.js';
import { weatherReport, weatherTool } from './clients/weather-tool.js';
import { Gateway } from './support/gateway.js';
import { useLoopbackOnly } from './support/loopback-only.js';
import { useGateway, useUpstream } from './support/started.js';
import { anthropicVendor } from './vendors/anthropic-vendor.js';
import { chatCompletionsVendor } from './vendors/chat-completions-vendor.js';
import { cohereVendor } from './vendors/cohere-vendor.js';
import { geminiVendor } from './vendors/gemini-vendor.js';
import { type Address, officialClients } from './vendors/official-clients.js';
import { ollamaVendor } from './vendors/ollama-vendor.js';
import type { Answer, Call, Vendor } from './vendors/vendor.js';

useLoopbackOnly();

const vendors: readonly Vendor[] = [chatCompletionsVendor, anthropicVendor, geminiVendor, cohereVendor, ollamaVendor];

const oslo = { city: 'Oslo', unit: 'celsius' } as const;
const goteborg = { city: 'Göteborg 🌦', unit: 'fahrenheit' } as const;
const calls: readonly Call[] = [
  { id: 'toolu_01Oslo', name: weatherTool.name, arguments: oslo },
  { id: 'toolu_02Goteborg', name: weatherTool.name, arguments: goteborg },
];
const text = 'In Oslo and in Göteborg 🌦 it is 21 degrees.';

const soup: Recipe = {
  title: 'Soup “à la maison”',
  minutes: 40,
  steps: [
    { text: 'Cut\nall of it', tool: 'knife' },
    { text: 'Boil', tool: 'pan' },
  ],
  vegetarian: null,
};

/**
 * Every official client that our users use, through every protocol that we translate, to a provider that reads what it
 * gets.
 */
describe.each(vendors)('through $name', (vendor) => {
  let address: Address;

  const upstream = useUpstream();
  const gateway = useGateway(() => Gateway.start({ providers: { vendor: vendor.provider(upstream.origin) } }));
  beforeAll(() => {
    address = { baseURL: `${gateway.url}/v1`, apiKey: gateway.customer.liveKey, model: vendor.model };
  });

  /** Cut in the middle of lines and of characters. */
  const play = (answerTo: (request: RecordedRequest) => Answer): void =>
    upstream.replies((request) => {
      const { headers, body } = vendor.answer(answerTo(request), vendor.asked(request).stream);
      return { headers, body, cuts: Array.from({ length: 40 }, (_, index) => 37 * index) };
    });

  describe.each(officialClients)('$name', (client) => {
    it.each([false, true])('runs a tool loop (stream: %s)', async (stream) => {
      play((request) => (vendor.asked(request).results.length > 0 ? { text } : { calls }));
      expect(await client.toolLoop(address, stream)).toEqual({ calls: [oslo, goteborg], text });

      const [first, second, ...more] = upstream.requests.map((request) => vendor.asked(request));
      expect(more).toEqual([]);
      const tools = [{ name: weatherTool.name, parameters: weatherTool.parameters }];
      expect(first).toEqual({ stream, tools, calls: [], results: [], schema: undefined, stop: [], images: [] });
      const results = [
        { id: 'toolu_01Oslo', value: weatherReport(oslo) },
        { id: 'toolu_02Goteborg', value: weatherReport(goteborg) },
      ];
      expect(second).toEqual({ stream, tools, calls, results, schema: undefined, stop: [], images: [] });
    });

    it.each([false, true])('gets a structured output (stream: %s)', async (stream) => {
      play(() => ({ text: JSON.stringify(soup) }));
      expect(await client.structured(address, stream)).toEqual(soup);

      const [asked, ...more] = upstream.requests.map((request) => vendor.asked(request));
      expect(more).toEqual([]);
      expect(asked).toMatchObject({ stream, tools: [], calls: [], results: [] });
      // Each client names another draft.
      const fits = new Ajv({ strict: false }).compile({ ...asked!.schema, $schema: undefined, stop: [], images: [] });
      expect(fits(soup)).toBe(true);
      const others = [{ ...soup, title: 1 }, { ...soup, minutes: 1.5 }, { ...soup, steps: [{ text: '', tool: 'axe' }] }, { title: 'Soup' }];
      expect(others.map((other) => fits(other))).toEqual(others.map(() => false));
    });
  });
});
