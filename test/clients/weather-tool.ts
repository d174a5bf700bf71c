/** The tool that every suite offers its model. */
export const weatherTool = {
  name: 'get_weather',
  description: 'Current weather of a city',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
    required: ['city', 'unit'],
    additionalProperties: false,
  },
};

export interface WeatherArguments {
  city: string;
  unit: 'celsius' | 'fahrenheit';
}

export const weatherQuestion = 'What is the weather in Paris? Use get_weather.';

export function isWeatherArguments(value: unknown): value is WeatherArguments {
  const { city, unit, ...more } = value as Partial<WeatherArguments>;
  return typeof city === 'string' && (unit === 'celsius' || unit === 'fahrenheit') && Object.keys(more).length === 0;
}

/** The tool as `runTools` of the official client takes it. @param seen gets what it is called with */
export const runnableWeather = (seen: WeatherArguments[]) => ({
  type: 'function' as const,
  function: {
    ...weatherTool,
    parse: (text: string) => JSON.parse(text) as WeatherArguments,
    function: (given: WeatherArguments) => {
      seen.push(given);
      return weatherReport(given);
    },
  },
});

export function weatherReport({ city, unit }: WeatherArguments): { city: string; temperature: number; unit: string } {
  return { city, temperature: 21, unit };
}
