import { Alert, Button, Center, Code, Group, Loader, Skeleton, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { IconAlertTriangle, IconClockExclamation, IconLock, type Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Failure } from '../api/failure';
import { clockOf } from './times';

/** In place of a whole page that is not there yet. */
export function PageLoading() {
  return (
    <Center mih="40vh" role="status" aria-label="Loading">
      <Loader type="dots" />
    </Center>
  );
}

/** Rows that are not there yet. */
export function RowsLoading({ rows = 5, height = 44 }: { rows?: number; height?: number }) {
  return (
    <Stack gap="xs" p="md" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={height} radius="md" />
      ))}
    </Stack>
  );
}

/** What went wrong, with the id by which the gateway's log finds it. */
export function ErrorState({ error, retry }: { error: Error; retry?: () => void }) {
  const { requestId, status } = error instanceof Failure ? error : { requestId: null, status: 0 };
  const forbidden = status === 403;
  return (
    <Alert
      color={forbidden ? 'gray' : 'red'}
      variant="light"
      icon={forbidden ? <IconLock size={18} /> : <IconAlertTriangle size={18} />}
      title={forbidden ? 'You may not see this' : 'This did not work'}
      role="alert"
      m="md"
    >
      <Problem message={error.message} requestId={requestId} retry={forbidden ? undefined : retry} />
    </Alert>
  );
}

interface StaleStateProps {
  error: Error;
  /** When what is shown was loaded, in milliseconds. */
  since: number;
  retry: () => void;
}

/** Above what was loaded before, while the newest answer is an error. */
export function StaleState({ error, since, retry }: StaleStateProps) {
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<IconClockExclamation size={18} />}
      title={`You see this as it was at ${clockOf(since)}`}
      role="alert"
      m="md"
    >
      <Problem
        message={`The newest could not be had: ${error.message}`}
        requestId={error instanceof Failure ? error.requestId : null}
        retry={retry}
      />
    </Alert>
  );
}

interface ProblemProps {
  message: string;
  requestId: string | null;
  retry: (() => void) | undefined;
}

function Problem({ message, requestId, retry }: ProblemProps) {
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {message}
      </Text>
      {requestId && (
        <Text size="xs">
          Request <Code>{requestId}</Code>
        </Text>
      )}
      {retry && (
        <Button size="xs" variant="default" onClick={retry}>
          Try again
        </Button>
      )}
    </Stack>
  );
}

interface EmptyProps {
  icon: Icon;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}

/** In place of a list that has nothing in it. */
export function EmptyState({ icon: Symbol, title, children, action }: EmptyProps) {
  return (
    <Stack align="center" gap="xs" py={56} px="md" ta="center">
      <ThemeIcon size={48} radius="xl" variant="light" aria-hidden>
        <Symbol size={24} stroke={1.6} />
      </ThemeIcon>
      <Title order={2} size="h4" mt="xs">
        {title}
      </Title>
      {children && (
        <Text size="sm" c="dimmed" maw={440}>
          {children}
        </Text>
      )}
      {action && <Group mt="sm">{action}</Group>}
    </Stack>
  );
}
