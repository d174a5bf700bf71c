import { Card, Center, Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import icon from '../theme/icon.svg';

/** The frame of the pages that are shown before somebody is signed in. */
export function SignInFrame({ title, description, children }: { title: string; description?: string; children: ReactNode }) {
  useDocumentTitle(`${title} · Switchyard`);
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack w="100%" maw={400} gap="lg">
        <Group justify="center" gap={10}>
          <img src={icon} width={34} height={34} alt="" />
          <Text fw={650} size="xl" style={{ letterSpacing: '-0.02em' }}>
            Switchyard
          </Text>
        </Group>
        <Card padding="xl" radius="lg" shadow="sm">
          <Stack gap={4} mb="lg">
            <Title order={1} size="h3">
              {title}
            </Title>
            {description && (
              <Text size="sm" c="dimmed">
                {description}
              </Text>
            )}
          </Stack>
          {children}
        </Card>
      </Stack>
    </Center>
  );
}
