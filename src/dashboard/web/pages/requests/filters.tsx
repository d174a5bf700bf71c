import { Select, SimpleGrid, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { keysOf, modelsOf, projectsOf, useFound } from '../../api/find';
import { useAccount } from '../../shell/account';
import { FoundSelect } from '../../ui/found-select';
import { useEnvironment } from '../../ui/preferences';
import classes from './filters.module.css';
import type { Filter } from './requests.api';

const times = [
  { value: '1', label: 'Last hour' },
  { value: '24', label: 'Last 24 hours' },
  { value: '168', label: 'Last 7 days' },
  { value: '720', label: 'Last 30 days' },
];

const FAILED = 'failed';

const outcomes = [
  { value: FAILED, label: 'Only errors' },
  {
    group: 'Status of the answer',
    items: [
      ['200', 'OK'],
      ['400', 'Bad request'],
      ['402', 'No credits, or over a budget'],
      ['403', 'Not allowed'],
      ['404', 'No such model'],
      ['413', 'Too large'],
      ['429', 'Over a limit'],
      ['500', 'Error of the gateway'],
      ['502', 'Error of the provider'],
      ['503', 'Overloaded, or out of service'],
      ['504', 'The provider took too long'],
    ].map(([value, label]) => ({ value: value!, label: `${value} ${label}` })),
  },
];

const statuses = new Set(outcomes.flatMap(({ items = [] }) => items.map(({ value }) => value)));

/** Those that one can choose, and whichever was in the address. */
const outcomesWith = (status: number | undefined) =>
  status === undefined || statuses.has(String(status)) ? outcomes : [...outcomes, { value: String(status), label: String(status) }];

interface FiltersProps {
  filter: Filter;
  onChange: (filter: Filter) => void;
}

/** What restricts the list of requests. */
export function Filters({ filter, onChange }: FiltersProps) {
  const { id: account } = useAccount();
  const [environment] = useEnvironment();
  const projects = projectsOf(account);
  const hasProjects = Boolean(useFound(projects).data?.length);
  const [search, setSearch] = useState(filter.id ?? '');
  const [wrong, setWrong] = useState(false);
  const find = useDebouncedCallback((text: string) => {
    const id = text.trim().replace(/^chatcmpl-|^cmpl-/, '');
    setWrong(!/^[0-9a-f-]{0,36}$/.test(id));
    if (/^[0-9a-f-]{0,36}$/.test(id)) onChange({ ...filter, id: id || undefined });
  }, 300);
  return (
    <SimpleGrid p="md" spacing="sm" cols={{ base: 2, lg: hasProjects ? 6 : 5 }}>
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
      <FoundSelect
        aria-label="Model"
        placeholder="All models"
        choices={modelsOf(account)}
        value={filter.model ?? null}
        onChange={(model) => onChange({ ...filter, model: model ?? undefined })}
      />
      <FoundSelect
        aria-label="Key"
        placeholder="All keys"
        choices={keysOf(account, environment)}
        value={filter.key ?? null}
        onChange={(key) => onChange({ ...filter, key: key ?? undefined })}
      />
      {hasProjects && (
        <FoundSelect
          aria-label="Project"
          placeholder="All projects"
          choices={projects}
          value={filter.project ?? null}
          onChange={(project) => onChange({ ...filter, project: project ?? undefined })}
        />
      )}
      <Select
        aria-label="Outcome"
        placeholder="All outcomes"
        data={outcomesWith(filter.status)}
        comboboxProps={{ width: 270, position: 'bottom-end' }}
        clearable
        value={filter.failed ? FAILED : filter.status === undefined ? null : String(filter.status)}
        onChange={(value) =>
          onChange({
            ...filter,
            failed: value === FAILED || undefined,
            status: value === null || value === FAILED ? undefined : Number(value),
          })
        }
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
