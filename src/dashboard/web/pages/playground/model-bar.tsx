import { Button, Group, SegmentedControl } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { memo } from 'react';
import { modelsOf } from '../../api/find';
import type { Model } from '../../api/models';
import { useAccount } from '../../shell/account';
import { FoundSelect } from '../../ui/found-select';
import { IconAction } from '../../ui/icon-action';
import { type Column, MAX_COLUMNS, type Mode, newId } from './conversation';

/** Ids of the first models that can be called in each way now. */
export type Callable = Readonly<Record<Mode, readonly string[]>>;

interface ModelBarProps {
  /** What is known of those that are chosen. */
  readonly models: readonly Model[];
  readonly callable: Callable;
  readonly mode: Mode;
  readonly columns: readonly Column[];
  readonly onChange: (fields: { mode?: Mode; columns?: readonly Column[] }) => void;
}

/** How models are called, and which of them answer side by side. */
export const ModelBar = memo(function ModelBar({ models, callable, mode, columns, onChange }: ModelBarProps) {
  const choices = modelsOf(useAccount().id, { capabilities: [mode] });
  const choose = (index: number, model: string) => onChange({ columns: columns.with(index, { ...columns[index]!, model }) });
  const chooseMode = (next: Mode) => {
    const able = new Set(models.filter(({ capabilities }) => capabilities[next]).map(({ id }) => id));
    onChange({
      mode: next,
      columns: columns.map((column) => (able.has(column.model) ? column : { ...column, model: callable[next][0] ?? '' })),
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
          <FoundSelect
            flex={1}
            aria-label={columns.length === 1 ? 'Model' : `Model ${index + 1}`}
            placeholder="Choose a model"
            allowDeselect={false}
            clearable={false}
            nothingFoundMessage="No model is called that"
            choices={choices}
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
        disabled={columns.length >= MAX_COLUMNS || callable[mode].length === 0}
        onClick={() => onChange({ columns: [...columns, { id: newId(), model: nextFor(callable[mode], columns) }] })}
      >
        Compare
      </Button>
    </Group>
  );
});

/** A model that does not answer yet, where there is one. */
function nextFor(callable: readonly string[], columns: readonly Column[]): string {
  return callable.find((id) => columns.every(({ model }) => model !== id)) ?? callable[0] ?? '';
}
