import { Badge, Stack, Text } from '@mantine/core';
import { Chosen } from '../../../ui/values';
import type { Model, ModelOffer, ModelSwitch } from './switches.api';

interface ModelStateProps {
  status: (Model | ModelOffer)['status'];
  /** What has switched it off. */
  by: ModelSwitch | undefined;
}

/** Whether a model or an offer is in service, and what clients are told otherwise. */
export function ModelState({ status: { active, message }, by }: ModelStateProps) {
  const told = by?.message ?? (active && message === 'Operational' ? undefined : message);
  return (
    <Stack gap={4} align="flex-start" miw={0}>
      <Badge color={by ? 'orange' : active ? (told === undefined ? 'signal' : 'yellow') : 'red'}>
        {by ? 'Switched off' : active ? 'In service' : 'Not available'}
      </Badge>
      {told !== undefined && (
        <Text size="xs" c="dimmed" lineClamp={3}>
          <Chosen>{told}</Chosen>
        </Text>
      )}
    </Stack>
  );
}
