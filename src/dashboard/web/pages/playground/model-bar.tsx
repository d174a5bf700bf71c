import { Button, Group, SegmentedControl, Select } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { memo } from 'react';
import { IconAction } from '../../ui/icon-action';
import type { Model } from '../../api/models';
import { type Column, MAX_COLUMNS, type Mode, newId } from './conversation';

/** The first model that can be called in a way. */
export const firstFor = (models: readonly Model[], mode: Mode): string =>
  models.find(({ capabilities, status }) => capabilities[mode] && status.active)?.id ?? '';

interface ModelBarProps {
  readonly models: readonly Model[];
  readonly mode: Mode;
  readonly columns: readonly Column[];
  readonly onChange: (fields: { mode?: Mode; columns?: readonly Column[] }) => void;
}

/** How models are called, and which of them answer side by side. */
export const ModelBar = memo(function ModelBar({ models, mode, columns, onChange }: ModelBarProps) {
  const options = models
    .filter(({ capabilities }) => capabilities[mode])
    .map(({ id, status }) => ({ value: id, label: id, disabled: !status.active }));
  const choose = (index: number, model: string) => onChange({ columns: columns.with(index, { ...columns[index]!, model }) });
  const chooseMode = (next: Mode) => {
    const able = new Set(models.filter(({ capabilities }) => capabilities[next]).map(({ id }) => id));
    onChange({
      mode: next,
      columns: columns.map((column) => (able.has(column.model) ? column : { ...column, model: firstFor(models, next) })),
    });
  };
  return (
    <Group gap="xs" component="section" aria-label="Models">
      <SegmentedControl
        aria-label="Operation"
        value={mode}
        onChange={(value) => chooseMode(value)}
        data={[
          { value: 'chat', label: 'Chat' },
          { value: 'completion', label: 'Completion' },
        ]}
      />
      {columns.map(({ id, model }, index) => (
        <Group key={id} gap={4} wrap="nowrap" flex={1} miw={200} maw={420}>
          <Select
            flex={1}
            aria-label={columns.length === 1 ? 'Model' : `Model ${index + 1}`}
            placeholder="Choose a model"
            searchable
            allowDeselect={false}
            limit={100}
            nothingFoundMessage="No model is called that"
            data={options}
            value={model === '' ? null : model}
            onChange={(value) => value !== null && choose(index, value)}
          />
          {columns.length > 1 && (
            <IconAction icon={IconX} label={`Take ${model} away`} onClick={() => onChange({ columns: columns.toSpliced(index, 1) })} />
          )}
        </Group>
      ))}
      <Button
        variant="default"
        leftSection={<IconPlus size={16} />}
        disabled={columns.length >= MAX_COLUMNS || models.length === 0}
        onClick={() => onChange({ columns: [...columns, { id: newId(), model: nextFor(options, columns) }] })}
      >
        Compare
      </Button>
    </Group>
  );
});

/** A model that does not answer yet, where there is one. */
function nextFor(options: readonly { value: string; disabled: boolean }[], columns: readonly Column[]): string {
  const free = options.filter(({ disabled }) => !disabled);
  return (free.find(({ value }) => columns.every(({ model }) => model !== value)) ?? free[0])?.value ?? '';
}
