import { Box, Button, Group, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type ReactNode, useRef, useState } from 'react';
import { Failure } from '../api/failure';
import type { List } from './list';
import { EmptyState, ErrorState, RowsLoading, StaleState } from './states';

interface Asked<T> {
  data: T | undefined;
  error: Error | null;
  isPending: boolean;
  dataUpdatedAt: number;
  refetch: () => unknown;
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
  const { data, error, isPending, dataUpdatedAt, refetch } = query;
  if (error instanceof Failure && error.status === 403) return <ErrorState error={error} />;
  return (
    <>
      {above}
      {data !== undefined ? (
        <>
          {error && <StaleState error={error} since={dataUpdatedAt} retry={() => void refetch()} />}
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

interface PagedProps<T> extends Pick<AnsweredProps<unknown>, 'above' | 'rows'> {
  list: List<T>;
  /** What one of them is called. */
  one: string;
  /** Whether more than the search restricts the list. */
  filtered?: boolean;
  /** In place of a list that has nothing in it. */
  empty: ReactNode;
  children: (rows: readonly T[]) => ReactNode;
}

/** The page of a list that is shown, with the ways to those around it. */
export function Paged<T>({ list, one, filtered = false, empty, children, ...props }: PagedProps<T>) {
  const { query, search, isFirst, next, previous } = list;
  const start = useRef<HTMLDivElement>(null);
  const turn = (to: () => void) => () => {
    to();
    start.current?.focus();
  };
  const nothing = !isFirst ? (
    <EmptyState icon={IconSearch} title={`No ${one} is on this page any more`} />
  ) : search !== '' || filtered ? (
    <EmptyState icon={IconSearch} title={`No ${one} matches`}>
      Change what you search for, or take a filter away.
    </EmptyState>
  ) : (
    empty
  );
  return (
    <Box ref={start} tabIndex={-1} style={{ outline: 'none', scrollMarginTop: 80 }} aria-busy={query.isPlaceholderData}>
      <Answered query={query} {...props}>
        {({ data }) => (data.length > 0 ? children(data) : nothing)}
      </Answered>
      {(!isFirst || query.data?.next) && (
        <Group justify="center" p="md" gap="xs">
          <Button variant="default" disabled={isFirst} onClick={turn(previous)}>
            Previous page
          </Button>
          <Button variant="default" disabled={!query.data?.next} loading={query.isPlaceholderData} onClick={turn(next)}>
            Next page
          </Button>
        </Group>
      )}
    </Box>
  );
}

interface SearchProps {
  /** What is found, and by what. */
  label: string;
  value: string;
  onChange: (text: string) => void;
}

/** Milliseconds without typing after which it is searched. */
const PAUSE = 250;

/** A field in which one types what is searched for. */
export function Search({ label, value, onChange }: SearchProps) {
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  const change = useDebouncedCallback(onChange, PAUSE);
  // The browser's Back has another search.
  if (value !== shown) {
    setShown(value);
    if (text.trim() !== value) setText(value);
  }
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
        change(event.currentTarget.value.trim());
      }}
    />
  );
}
