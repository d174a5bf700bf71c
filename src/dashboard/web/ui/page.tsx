import { Box, Group, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { environments, useEnvironment } from './preferences';

interface PageProps {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  /** Whether it shows one of the account's two environments, which is chosen here. */
  ofEnvironment?: boolean;
  children: ReactNode;
}

/** The frame of a page: its heading, what can be done, and the rest. */
export function Page({ title, description, actions, ofEnvironment = false, children }: PageProps) {
  const [environment, chooseEnvironment] = useEnvironment();
  useDocumentTitle(`${title} · Switchyard`);
  return (
    <Stack gap="lg" maw={1280} mx="auto" w="100%">
      <Group justify="space-between" align="flex-start" gap="md">
        <Box flex="1 1 300px">
          <Title order={1}>{title}</Title>
          {description && (
            <Text c="dimmed" size="sm" mt={4} maw={640}>
              {description}
            </Text>
          )}
        </Box>
        {(ofEnvironment || actions) && (
          <Group gap="sm">
            {ofEnvironment && (
              <SegmentedControl aria-label="Environment" value={environment} onChange={chooseEnvironment} data={environments} />
            )}
            {actions}
          </Group>
        )}
      </Group>
      {children}
    </Stack>
  );
}
