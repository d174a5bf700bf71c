import { Modal, Table, VisuallyHidden } from '@mantine/core';
import type { Model } from '../../api/models';
import { facts } from './facts';

/** Two models side by side. */
export function CompareModels({ models, opened, onClose }: { models: readonly Model[]; opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} size="xl" title="Compare models">
      <Table.ScrollContainer minWidth={420}>
        <Table layout="fixed" className="numbers" verticalSpacing={8}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={150}>
                <VisuallyHidden>What</VisuallyHidden>
              </Table.Th>
              {models.map(({ id }) => (
                <Table.Th
                  key={id}
                  c="var(--mantine-color-text)"
                  fz="sm"
                  fw={600}
                  style={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }}
                >
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
                  <Table.Td key={model.id} style={{ overflowWrap: 'anywhere' }}>
                    {of(model)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Modal>
  );
}
