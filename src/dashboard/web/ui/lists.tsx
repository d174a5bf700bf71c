import { Button, Group, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Failure } from '../api/failure';
import { count } from './numbers';
import { ErrorState, RowsLoading, StaleState } from './states';

interface Asked<T> {
  data: T | undefined;
  error: Error | null;
  isPending: boolean;
  dataUpdatedAt: number;
  refetch: () => unknown;
  /** It is the next page of a list that could not be had, which `LoadMore` says. */
  isFetchNextPageError?: boolean;
}

interface AnsweredProps<T> {
  query: Asked<T>;
  /** What restricts the list. Whoever may not see the list does not see it either. */
  above?: ReactNode;
  rows?: number;
  children: (data: T) => ReactNode;
}

/**
 * What was asked for, once it has come; until then that it is loaded, or what went wrong. Where it is asked for again and
 * that goes wrong, what was there stays, below what went wrong.
 */
export function Answered<T>({ query, above, rows, children }: AnsweredProps<T>) {
  const { data, error, isPending, dataUpdatedAt, refetch, isFetchNextPageError = false } = query;
  if (error instanceof Failure && error.status === 403) return <ErrorState error={error} />;
  return (
    <>
      {above}
      {data !== undefined ? (
        <>
          {error && !isFetchNextPageError && <StaleState error={error} since={dataUpdatedAt} retry={() => void refetch()} />}
          {children(data)}
        </>
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
  isFetchNextPageError: boolean;
  error: Error | null;
  fetchNextPage: () => unknown;
}

/** Asks for the next page of a list, where there is one. */
export function LoadMore({ query }: { query: Paged }) {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, error, fetchNextPage } = query;
  if (!hasNextPage) return null;
  if (isFetchNextPageError && error) return <ErrorState error={error} retry={() => void fetchNextPage()} />;
  return (
    <Group justify="center" p="md">
      <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        Load more
      </Button>
    </Group>
  );
}

/** Rows that are added at a time. */
const ROWS = 100;

interface InPartsProps<T> {
  all: readonly T[];
  /** What one of them is called, and several. */
  names: readonly [string, string];
  children: (shown: readonly T[]) => ReactNode;
}

/** The beginning of a long list that is loaded already, with a button for more of it, and at its end how long it is. */
export function InParts<T>({ all, names: [one, several], children }: InPartsProps<T>) {
  const [rows, setRows] = useState(ROWS);
  return (
    <>
      {children(all.slice(0, rows))}
      <Group justify="center" p="md">
        {all.length > rows ? (
          <Button variant="default" onClick={() => setRows(rows + ROWS)}>
            Show more
          </Button>
        ) : (
          <Text size="xs" c="dimmed">
            {count(all.length)} {all.length === 1 ? one : several}
          </Text>
        )}
      </Group>
    </>
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
