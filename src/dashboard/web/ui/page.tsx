import { Box, Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';

interface PageProps {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** The frame of a page: its heading, what can be done, and the rest. */
export function Page({ title, description, actions, children }: PageProps) {
  useDocumentTitle(`${title} · Switchyard`);
  return (
    <Stack gap="lg" maw={1280} mx="auto" w="100%">
      <Group justify="space-between" align="flex-start" gap="md">
        <Box>
          <Title order={1}>{title}</Title>
          {description && (
            <Text c="dimmed" size="sm" mt={4} maw={640}>
              {description}
            </Text>
          )}
        </Box>
        {actions && <Group gap="sm">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
