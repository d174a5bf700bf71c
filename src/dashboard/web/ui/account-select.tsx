import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../api/client';

interface AccountSelectProps {
  /** Id of an account; null: none is chosen. */
  value: string | null;
  onChange: (account: string | null) => void;
  label?: string;
  description?: string;
  placeholder: string;
}

/** Finds one of all organisations by its name or id; for operators. */
export function AccountSelect({ value, onChange, label, description, placeholder }: AccountSelectProps) {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim().slice(0, 200), 250);
  const found = useQuery({
    queryKey: ['accounts', 'found', search],
    staleTime: 30_000,
    placeholderData: keepPreviousData,
    queryFn: () => answerOf(api.GET('/admin/v1/accounts', { params: { query: { limit: 20, search: search || undefined } } })),
  });
  const listed = (found.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const data = value === null || listed.some((one) => one.value === value) ? listed : [...listed, { value, label: value }];
  return (
    <Select
      label={label}
      description={description}
      aria-label={label === undefined ? 'Organisation' : undefined}
      placeholder={placeholder}
      data={data}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'Choose none' }}
      filter={({ options }) => options}
      nothingFoundMessage={found.isPending ? 'Loading…' : 'No organisation is called that'}
      value={value}
      onChange={onChange}
      onSearchChange={setTyped}
      miw={190}
    />
  );
}
