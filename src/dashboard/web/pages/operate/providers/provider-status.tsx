import { Badge, Stack, Text } from '@mantine/core';
import { Chosen } from '../../../ui/values';
import type { Provider } from './providers.api';

/** Whether a provider serves, and if not, why. */
export function ProviderStatus({ provider: { in_service, disabled_at, problem, message } }: { provider: Provider }) {
  const [color, word] = disabled_at !== null ? ['gray', 'Switched off'] : in_service ? ['signal', 'In service'] : ['red', 'Does not serve'];
  const why = problem ?? message;
  return (
    <Stack gap={4} align="flex-start">
      <Badge color={color}>{word}</Badge>
      {why !== null && (
        <Text size="xs" c="dimmed" lineClamp={3}>
          <Chosen>{why}</Chosen>
        </Text>
      )}
    </Stack>
  );
}
