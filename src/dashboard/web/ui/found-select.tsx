import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Choices, useFound } from '../api/find';

interface FoundSelectProps extends Omit<SelectProps, 'data'> {
  choices: Choices;
  /** Id of what is chosen; null: nothing is. */
  value?: string | null;
}

/** Chooses one of a list of any length: the gateway searches it for what one types, and its first ones are shown. */
export function FoundSelect({ choices, value = null, ...props }: FoundSelectProps) {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, 250);
  const chosen = useQuery({
    queryKey: [...choices.queryKey, 'one', value],
    enabled: value !== null && choices.nameOf !== undefined,
    staleTime: 60_000,
    queryFn: () => choices.nameOf!(value!),
  });
  const label = chosen.data || (chosen.isLoading ? 'Loading…' : (value ?? ''));
  // The name of the chosen value is no search.
  const found = useFound(choices, search === label ? '' : search);
  const listed = found.data ?? [];
  return (
    <Select
      data={value === null || listed.some((one) => one.value === value) ? listed : [...listed, { value, label }]}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'Choose none' }}
      filter={({ options }) => options}
      nothingFoundMessage={found.isPending ? 'Loading…' : 'No name or id matches'}
      value={value}
      onSearchChange={setTyped}
      {...props}
    />
  );
}
