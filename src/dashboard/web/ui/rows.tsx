import { Box, Group, SimpleGrid, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './rows.module.css';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers stand at the right. */
  readonly right?: boolean;
  /** Pixels that it takes at most in the table. */
  readonly max?: number;
  /** Whether the card of a phone leaves it out for this row. */
  readonly leftOut?: (row: Row) => boolean;
}

interface RowsProps<Row> {
  /** What the rows are, for those who cannot see them. */
  label: string;
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** What a row is called comes first: it is the heading of its card. */
  columns: readonly Column<Row>[];
  /** What can be done with a row. */
  renderActions?: (row: Row) => ReactNode;
  /** Pixels below which the table scrolls. */
  minWidth?: number;
}

/** Rows of a table, and on a phone as cards below one another. */
export function Rows<Row>(props: RowsProps<Row>) {
  return (
    <>
      <Wide {...props} />
      <Narrow {...props} />
    </>
  );
}

function Wide<Row>({ label, rows, keyOf, columns, renderActions, minWidth = 760 }: RowsProps<Row>) {
  return (
    <Table.ScrollContainer minWidth={minWidth} visibleFrom="sm">
      <Table highlightOnHover className="numbers" aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ title, right }) => (
              <Table.Th key={title} ta={right ? 'right' : undefined}>
                {title}
              </Table.Th>
            ))}
            {renderActions && (
              <Table.Th w={48}>
                <VisuallyHidden>Actions</VisuallyHidden>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)}>
              {columns.map(({ title, cell, right, max }) => (
                <Table.Td key={title} ta={right ? 'right' : undefined} maw={max}>
                  {cell(row)}
                </Table.Td>
              ))}
              {renderActions && <Table.Td ta="right">{renderActions(row)}</Table.Td>}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Narrow<Row>({ label, rows, keyOf, columns: [name, ...rest], renderActions }: RowsProps<Row>) {
  return (
    <Stack gap={0} hiddenFrom="sm" component="ul" m={0} p={0} aria-label={label} className="numbers">
      {rows.map((row) => (
        <Box component="li" key={keyOf(row)} className={classes.card}>
          <Group justify="space-between" wrap="nowrap" align="flex-start">
            <Box miw={0}>{name?.cell(row)}</Box>
            {renderActions?.(row)}
          </Group>
          <SimpleGrid component="dl" cols={2} spacing="md" verticalSpacing="xs" m={0} mt="xs">
            {rest
              .filter(({ leftOut }) => !leftOut?.(row))
              .map(({ title, cell }) => (
                <Box key={title} miw={0}>
                  <Text component="dt" size="xs" c="dimmed">
                    {title}
                  </Text>
                  <Text component="dd" size="sm" m={0} style={{ overflowWrap: 'anywhere' }}>
                    {cell(row)}
                  </Text>
                </Box>
              ))}
          </SimpleGrid>
        </Box>
      ))}
    </Stack>
  );
}
