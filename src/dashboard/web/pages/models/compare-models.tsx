import { Button, Group, Modal, Paper, SimpleGrid, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { IconColumns2 } from '@tabler/icons-react';
import type { Model } from '../../api/models';
import classes from './compare-models.module.css';
import { facts } from './facts';

interface CompareModelsProps {
  /** Those that are chosen; two are compared. */
  models: readonly Model[];
  onForget: () => void;
}

/** Which models are chosen, as long as some are, and two of them side by side. */
export function CompareModels({ models, onForget }: CompareModelsProps) {
  const [opened, { open, close }] = useDisclosure(false);
  const narrow = useMediaQuery('(max-width: 48em)');
  return (
    <>
      {models.length > 0 && (
        <Paper withBorder shadow="md" px="md" py="sm" className={classes.chosen}>
          <Group justify="space-between" wrap="nowrap">
            <Text size="sm" truncate role="status">
              {models.length === 2 ? models.map(({ id }) => id).join(', ') : 'Tick another model to compare it with'}
            </Text>
            <Group gap="xs" wrap="nowrap">
              <Button variant="subtle" color="gray" onClick={onForget}>
                Clear
              </Button>
              <Button leftSection={<IconColumns2 size={16} />} disabled={models.length !== 2} onClick={open}>
                Compare
              </Button>
            </Group>
          </Group>
        </Paper>
      )}
      <Modal opened={opened} onClose={close} size="xl" fullScreen={narrow} title="Compare models">
        {narrow ? <Below models={models} /> : <Beside models={models} />}
      </Modal>
    </>
  );
}

type Compared = Pick<CompareModelsProps, 'models'>;

const Beside = ({ models }: Compared) => (
  <Table layout="fixed" className="numbers" verticalSpacing={8}>
    <Table.Thead>
      <Table.Tr>
        <Table.Th w={170}>
          <VisuallyHidden>What</VisuallyHidden>
        </Table.Th>
        {models.map(({ id }) => (
          <Table.Th key={id} className={classes.name}>
            {id}
          </Table.Th>
        ))}
      </Table.Tr>
    </Table.Thead>
    <Table.Tbody>
      {facts.map(({ name, of }) => (
        <Table.Tr key={name}>
          <Table.Th scope="row">{name}</Table.Th>
          {models.map((model) => (
            <Table.Td key={model.id} className={classes.fact}>
              {of(model)}
            </Table.Td>
          ))}
        </Table.Tr>
      ))}
    </Table.Tbody>
  </Table>
);

/** Where there is no room for the names of the facts beside them. */
const Below = ({ models }: Compared) => (
  <Stack gap="sm" className="numbers">
    <SimpleGrid cols={2} className={classes.names}>
      {models.map(({ id }) => (
        <Text key={id} fw={600} size="sm" className={classes.fact}>
          {id}
        </Text>
      ))}
    </SimpleGrid>
    {facts.map(({ name, of }) => (
      <div key={name} className={classes.row}>
        <Text size="xs" c="dimmed">
          {name}
        </Text>
        <SimpleGrid cols={2}>
          {models.map((model) => (
            <Text key={model.id} component="div" size="sm" className={classes.fact}>
              <VisuallyHidden>{model.id}: </VisuallyHidden>
              {of(model)}
            </Text>
          ))}
        </SimpleGrid>
      </div>
    ))}
  </Stack>
);
