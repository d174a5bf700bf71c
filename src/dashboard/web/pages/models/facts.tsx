import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Model } from '../../api/models';
import { count } from '../../ui/numbers';
import { capabilitiesOf, completionPrice, firstToken, promptPrice, speed, uptime } from './catalogue';
import { Status } from './status';

/** What is told of a model, and of two side by side. */
export const facts: readonly { name: string; of: (model: Model) => ReactNode }[] = [
  { name: 'Status', of: ({ status }) => <Status status={status} /> },
  { name: 'Made by', of: ({ owned_by }) => owned_by },
  { name: 'Providers', of: ({ providers }) => providers.join(', ') },
  { name: 'Context', of: ({ context_length }) => `${count(context_length)} tokens` },
  { name: 'Longest answer', of: ({ max_tokens }) => `${count(max_tokens)} tokens` },
  { name: 'Prompt, per million', of: promptPrice },
  { name: 'Completion, per million', of: completionPrice },
  { name: 'First token', of: firstToken },
  { name: 'Tokens per second', of: speed },
  { name: 'Uptime', of: uptime },
  {
    name: 'Can',
    of: (model) => (
      <Text span size="sm">
        {[...(model.capabilities.chat ? ['Chat'] : []), ...capabilitiesOf(model).map(({ label }) => label)].join(', ')}
      </Text>
    ),
  },
  {
    name: 'Takes',
    of: ({ capabilities }) => ('input_modalities' in capabilities ? capabilities.input_modalities.join(', ') : '–'),
  },
  {
    name: 'Parameters',
    of: ({ capabilities }) => ('supported_parameters' in capabilities ? capabilities.supported_parameters.join(', ') : '–'),
  },
];
