import { Button, Group, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Failure } from '../api/failure';
import { ErrorState, RowsLoading } from './states';

interface Asked<T> {
  data: T | undefined;
  error: Error | null;
  isPending: boolean;
  refetch: () => unknown;
}

interface AnsweredProps<T> {
  query: Asked<T>;
  /** What restricts the list. Whoever may not see the list does not see it either. */
  above?: ReactNode;
  rows?: number;
  children: (data: T) => ReactNode;
}

/** What was asked for, once it has come; until then that it is loaded, or what went wrong. */
export function Answered<T>({ query: { data, error, isPending, refetch }, above, rows, children }: AnsweredProps<T>) {
  if (error instanceof Failure && error.status === 403) return <ErrorState error={error} />;
  return (
    <>
      {above}
      {data !== undefined ? (
        children(data)
      ) : isPending || !error ? (
        <RowsLoading rows={rows} />
      ) : (
        <ErrorState error={error} retry={() => void refetch()} />
      )}
    </>
  );
}

interface Paged {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/** Asks for the next page of a list, where there is one. */
export function LoadMore({ query: { hasNextPage, isFetchingNextPage, fetchNextPage } }: { query: Paged }) {
  if (!hasNextPage) return null;
  return (
    <Group justify="center" p="md">
      <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        Load more
      </Button>
    </Group>
  );
}

interface SearchProps {
  /** What is found, and by what. */
  label: string;
  value: string;
  onChange: (text: string) => void;
  /** Milliseconds of rest after which it is searched. */
  rest?: number;
}

/** A field in which one types what is searched for. */
export function Search({ label, value, onChange, rest = 0 }: SearchProps) {
  const [text, setText] = useState(value);
  const change = useDebouncedCallback(onChange, rest);
  return (
    <TextInput
      flex={1}
      miw={200}
      maw={420}
      placeholder={label}
      aria-label={label}
      maxLength={200}
      leftSection={<IconSearch size={16} />}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        if (rest === 0) onChange(event.currentTarget.value);
        else change(event.currentTarget.value);
      }}
    />
  );
}
