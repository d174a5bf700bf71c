import { Button, Group, Input, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { IconAction } from '../../../ui/icon-action';
import classes from './models-field.module.css';
import { type ModelRow, newRow } from './models-form';

interface ModelsFieldProps {
  /** Null: all that the provider lists. */
  value: ModelRow[] | null;
  onChange: (value: ModelRow[] | null) => void;
  error: string | undefined;
}

/** Which models a provider offers, and at which prices. */
export function ModelsField({ value, onChange, error }: ModelsFieldProps) {
  const change = (key: string, fields: Partial<ModelRow>) =>
    onChange((value ?? []).map((row) => (row.key === key ? { ...row, ...fields } : row)));
  return (
    <div>
      <Input.Label component="div" mb={4} id="models-offered">
        Models
      </Input.Label>
      <SegmentedControl
        fullWidth
        aria-labelledby="models-offered"
        value={value === null ? 'all' : 'these'}
        onChange={(chosen) => onChange(chosen === 'all' ? null : [newRow()])}
        data={[
          { value: 'all', label: 'All that it lists' },
          { value: 'these', label: 'Only these' },
        ]}
      />
      {value && (
        <Stack gap="xs" mt="sm">
          <Text size="xs" c="dimmed">
            Prices are credits per million tokens. What stays empty is taken from what the gateway knows of the model.
          </Text>
          {value.map((row, index) => (
            <ModelFields
              key={row.key}
              row={row}
              nth={index + 1}
              onChange={(fields) => change(row.key, fields)}
              onRemove={() => onChange(value.filter(({ key }) => key !== row.key))}
            />
          ))}
          <Button
            size="xs"
            variant="subtle"
            leftSection={<IconPlus size={15} />}
            style={{ alignSelf: 'flex-start' }}
            onClick={() => onChange([...value, newRow()])}
          >
            Add a model
          </Button>
        </Stack>
      )}
      {error !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)" mt={4} role="alert" tabIndex={-1} data-refused>
          {error}
        </Text>
      )}
    </div>
  );
}

interface ModelFieldsProps {
  row: ModelRow;
  nth: number;
  onChange: (fields: Partial<ModelRow>) => void;
  onRemove: () => void;
}

function ModelFields({ row, nth, onChange, onRemove }: ModelFieldsProps) {
  const field = (name: 'id' | 'prompt' | 'completion' | 'context') => ({
    value: row[name],
    autoComplete: 'off',
    onChange: (event: { currentTarget: { value: string } }) => onChange({ [name]: event.currentTarget.value.trim() }),
  });
  return (
    <Group component="fieldset" className={classes.row} gap={6} align="flex-end" aria-label={`Model ${nth}`}>
      <TextInput className={classes.name} size="xs" label="Name" placeholder="our-model" {...field('id')} />
      <TextInput className={classes.number} size="xs" label="Prompt" inputMode="decimal" {...field('prompt')} />
      <TextInput className={classes.number} size="xs" label="Answer" inputMode="decimal" {...field('completion')} />
      <TextInput className={classes.number} size="xs" label="Context" placeholder="tokens" inputMode="numeric" {...field('context')} />
      <IconAction icon={IconTrash} label="Take it away" name={`Take model ${nth} away`} size={30} onClick={onRemove} />
    </Group>
  );
}
