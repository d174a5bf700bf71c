import { Box, Group, SimpleGrid, Stack, Table, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Fact } from './fact';
import classes from './rows.module.css';

export interface Column<Row, Sort extends string = string> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers stand at the right. */
  readonly right?: boolean;
  /** Pixels that it takes at most in the table. */
  readonly max?: number;
  /** Whether the card of a phone leaves it out for this row. */
  readonly leftOut?: (row: Row) => boolean;
  /** What the rows are sorted by when its heading is chosen; absent: its heading cannot be chosen. */
  readonly sort?: Sort;
}

export interface Sorting<Sort extends string = string> {
  readonly column: Sort;
  readonly descending: boolean;
}

interface Sortable<Sort extends string> {
  sorting?: Sorting<Sort>;
  onSort?: (column: Sort) => void;
}

interface RowsProps<Row, Sort extends string> extends Sortable<Sort> {
  /** What the rows are, for those who cannot see them. */
  label: string;
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** What a row is called comes first: it is the heading of its card. */
  columns: readonly Column<Row, Sort>[];
  /** What a row of the table is chosen with, before its first column. */
  renderChoice?: (row: Row) => ReactNode;
  /** What can be done with a row. */
  renderActions?: (row: Row) => ReactNode;
  /** The card of a phone; absent: the first column, and below it the others with their names. */
  renderCard?: (row: Row) => ReactNode;
  /** Is called where a click in the table meets a row. One of its cells has a button for those who use no mouse. */
  onOpen?: (row: Row) => void;
  /** Pixels below which the table scrolls. */
  minWidth?: number;
  /** Many columns stand closer together. */
  dense?: boolean;
}

/** Rows of a table, and on a phone as cards below one another. */
export function Rows<Row, Sort extends string = string>(props: RowsProps<Row, Sort>) {
  return (
    <>
      <Wide {...props} />
      <Narrow {...props} />
    </>
  );
}

function Wide<Row, Sort extends string>(props: RowsProps<Row, Sort>) {
  const { label, rows, keyOf, columns, renderChoice, renderActions, onOpen, minWidth = 760, dense, sorting, onSort } = props;
  return (
    <Table.ScrollContainer minWidth={minWidth} visibleFrom="sm">
      <Table highlightOnHover className="numbers" aria-label={label} horizontalSpacing={dense ? 'xs' : 'md'}>
        <Table.Thead>
          <Table.Tr>
            {renderChoice && <Unseen title="Choose" width={40} />}
            {columns.map((column) => (
              <Heading key={column.title} column={column} sorting={sorting} onSort={onSort} />
            ))}
            {renderActions && <Unseen title="Actions" width={48} />}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)} className={onOpen && classes.opens} onClick={onOpen && (() => onOpen(row))}>
              {renderChoice && <Table.Td>{renderChoice(row)}</Table.Td>}
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

const Unseen = ({ title, width }: { title: string; width: number }) => (
  <Table.Th w={width}>
    <VisuallyHidden>{title}</VisuallyHidden>
  </Table.Th>
);

interface HeadingProps<Sort extends string> extends Sortable<Sort> {
  column: Pick<Column<never, Sort>, 'title' | 'right' | 'sort'>;
}

function Heading<Sort extends string>({ column: { title, right, sort }, sorting, onSort }: HeadingProps<Sort>) {
  const align = right ? 'right' : undefined;
  if (sort === undefined || !sorting || !onSort) return <Table.Th ta={align}>{title}</Table.Th>;
  const chosen = sorting.column === sort;
  const Arrow = sorting.descending ? IconArrowDown : IconArrowUp;
  return (
    <Table.Th ta={align} aria-sort={chosen ? (sorting.descending ? 'descending' : 'ascending') : 'none'}>
      <UnstyledButton className={classes.sort} onClick={() => onSort(sort)} data-chosen={chosen || undefined}>
        {title}
        {chosen && <Arrow size={13} aria-hidden />}
      </UnstyledButton>
    </Table.Th>
  );
}

function Narrow<Row, Sort extends string>(props: RowsProps<Row, Sort>) {
  const { label, rows, keyOf, columns, renderActions, renderCard } = props;
  const [name, ...rest] = columns;
  return (
    <Stack gap={0} hiddenFrom="sm" component="ul" m={0} p={0} aria-label={label} className="numbers">
      {rows.map((row) =>
        renderCard ? (
          <Box component="li" key={keyOf(row)} className={classes.card}>
            {renderCard(row)}
          </Box>
        ) : (
          <Box component="li" key={keyOf(row)} className={classes.card}>
            <Group justify="space-between" wrap="nowrap" align="flex-start">
              <Box miw={0}>{name?.cell(row)}</Box>
              {renderActions?.(row)}
            </Group>
            <SimpleGrid component="dl" cols={2} spacing="md" verticalSpacing="xs" m={0} mt="xs">
              {rest
                .filter(({ leftOut }) => !leftOut?.(row))
                .map(({ title, cell }) => (
                  <Fact key={title} name={title}>
                    {cell(row)}
                  </Fact>
                ))}
            </SimpleGrid>
          </Box>
        ),
      )}
    </Stack>
  );
}
