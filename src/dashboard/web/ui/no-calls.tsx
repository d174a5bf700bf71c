import { Text } from '@mantine/core';

/** Why no calls of providers are shown. @param status of the request; null where its gateway has not written it */
export function NoCalls({ status }: { status: number | null }) {
  return (
    <Text size="sm" c="dimmed">
      {status === null ? 'Its gateway has not written which providers it called.' : 'No provider was called.'}
    </Text>
  );
}
