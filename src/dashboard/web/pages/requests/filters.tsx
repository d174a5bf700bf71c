import { Select, SimpleGrid, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import classes from './filters.module.css';
import type { Filter } from './requests.api';

const times = [
  { value: '1', label: 'Last hour' },
  { value: '24', label: 'Last 24 hours' },
  { value: '168', label: 'Last 7 days' },
  { value: '720', label: 'Last 30 days' },
];

interface FiltersProps {
  filter: Filter;
  onChange: (filter: Filter) => void;
  keys: { value: string; label: string }[];
  models: string[];
}

/** What restricts the list of requests. */
export function Filters({ filter, onChange, keys, models }: FiltersProps) {
  const [search, setSearch] = useState(filter.id ?? '');
  const [wrong, setWrong] = useState(false);
  const find = useDebouncedCallback((text: string) => {
    const id = text.trim().replace(/^chatcmpl-|^cmpl-/, '');
    setWrong(!/^[0-9a-f-]{0,36}$/.test(id));
    if (/^[0-9a-f-]{0,36}$/.test(id)) onChange({ ...filter, id: id || undefined });
  }, 300);
  return (
    <SimpleGrid p="md" spacing="sm" cols={{ base: 2, lg: 5 }}>
      <TextInput
        className={classes.search}
        placeholder="Find by request id"
        aria-label="Find by request id"
        leftSection={<IconSearch size={16} />}
        value={search}
        error={wrong && 'An id has digits, letters from a to f and dashes.'}
        onChange={(event) => {
          setSearch(event.currentTarget.value);
          find(event.currentTarget.value);
        }}
      />
      <Select
        aria-label="Model"
        placeholder="All models"
        data={models}
        searchable
        clearable
        value={filter.model ?? null}
        onChange={(model) => onChange({ ...filter, model: model ?? undefined })}
      />
      <Select
        aria-label="Key"
        placeholder="All keys"
        data={keys}
        searchable
        clearable
        value={filter.key ?? null}
        onChange={(key) => onChange({ ...filter, key: key ?? undefined })}
      />
      <Select
        aria-label="Outcome"
        placeholder="All outcomes"
        data={[{ value: 'failed', label: 'Only errors' }]}
        clearable
        value={filter.failed ? 'failed' : null}
        onChange={(value) => onChange({ ...filter, failed: value === 'failed' || undefined })}
      />
      <Select
        aria-label="Time"
        placeholder="Any time"
        data={times}
        clearable
        value={filter.hours === undefined ? null : String(filter.hours)}
        onChange={(hours) => onChange({ ...filter, hours: hours === null ? undefined : Number(hours) })}
      />
    </SimpleGrid>
  );
}
