import { Box, Group, SimpleGrid, Stack, Table, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import type { ReactNode, SyntheticEvent } from 'react';
import { Fact } from './fact';
import { Pair } from './pair';
import classes from './rows.module.css';

export interface Column<Row, Sort extends string = string> {
  readonly title: string;
  /** @param rows all that are shown */
  readonly cell: (row: Row, rows: readonly Row[]) => ReactNode;
  /** More about it, which follows in a quieter voice. */
  readonly detail?: (row: Row) => ReactNode;
  /** Numbers stand at the right. */
  readonly right?: boolean;
  /** Pixels that it takes at most in the table. */
  readonly max?: number;
  /** Whether it is left out of the table where there is little room. */
  readonly wide?: boolean;
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
  /** Called on a click in a row. Its first cell, or an `Opener` in its card, is the button for the keyboard. */
  onOpen?: (row: Row) => void;
  /** Pixels below which the table scrolls. */
  minWidth?: number;
  /** Many columns stand closer together. */
  dense?: boolean;
}

/** Rows of a table, and on a phone as cards below one another. */
export function Rows<Row, Sort extends string = string>(props: RowsProps<Row, Sort>) {
  const isWide = useMediaQuery('(min-width: 48em)', true, { getInitialValueInEffect: false });
  return isWide ? <Wide {...props} /> : <Narrow {...props} />;
}

function Wide<Row, Sort extends string>(props: RowsProps<Row, Sort>) {
  const { label, rows, keyOf, columns, renderChoice, renderActions, onOpen, minWidth = 760, dense, sorting, onSort } = props;
  return (
    <Table.ScrollContainer minWidth={minWidth}>
      <Table className={`numbers ${classes.table}`} verticalSpacing={4} aria-label={label} horizontalSpacing={dense ? 'xs' : 'md'}>
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
              {renderChoice && <Table.Td onClick={apart}>{renderChoice(row)}</Table.Td>}
              {columns.map((column, at) => (
                <Table.Td
                  key={column.title}
                  ta={column.right ? 'right' : undefined}
                  className={column.wide ? classes.wide : undefined}
                  style={{ '--max': column.max && `${column.max}px` }}
                >
                  <Cell column={column} row={row} rows={rows} opens={at === 0 && onOpen !== undefined} />
                </Table.Td>
              ))}
              {renderActions && (
                <Table.Td ta="right" onClick={apart}>
                  {renderActions(row)}
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** Of what is done in a row, the row is not opened. */
const apart = (event: SyntheticEvent): void => event.stopPropagation();

/** The button of a row or card that opens, whose click is theirs. */
export const Opener = ({ children }: { children: ReactNode }) => <UnstyledButton className={classes.opener}>{children}</UnstyledButton>;

interface CellProps<Row> {
  column: Column<Row>;
  row: Row;
  rows: readonly Row[];
  opens?: boolean;
}

function Cell<Row>({ column: { cell, detail }, row, rows, opens = false }: CellProps<Row>) {
  const shown = opens ? <Opener>{cell(row, rows)}</Opener> : cell(row, rows);
  return detail ? <Pair detail={detail(row)}>{shown}</Pair> : shown;
}

const Unseen = ({ title, width }: { title: string; width: number }) => (
  <Table.Th w={width}>
    <VisuallyHidden>{title}</VisuallyHidden>
  </Table.Th>
);

interface HeadingProps<Sort extends string> extends Sortable<Sort> {
  column: Pick<Column<never, Sort>, 'title' | 'right' | 'sort' | 'wide'>;
}

function Heading<Sort extends string>({ column: { title, right, sort, wide }, sorting, onSort }: HeadingProps<Sort>) {
  const align = right ? 'right' : undefined;
  if (sort === undefined || !sorting || !onSort)
    return (
      <Table.Th ta={align} className={wide ? classes.wide : undefined}>
        {title}
      </Table.Th>
    );
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
  const { label, rows, keyOf, columns, renderActions, renderCard, onOpen } = props;
  const [name, ...rest] = columns;
  return (
    <Stack gap={0} component="ul" m={0} p={0} aria-label={label} className="numbers">
      {rows.map((row) => (
        <Box
          component="li"
          key={keyOf(row)}
          className={`${classes.card} ${onOpen ? classes.opens : ''}`}
          onClick={onOpen && (() => onOpen(row))}
        >
          {renderCard ? (
            renderCard(row)
          ) : (
            <>
              <Group justify="space-between" wrap="nowrap" align="flex-start">
                <Box miw={0}>{name && <Cell column={name} row={row} rows={rows} opens={onOpen !== undefined} />}</Box>
                {renderActions && <Box onClick={apart}>{renderActions(row)}</Box>}
              </Group>
              <SimpleGrid component="dl" cols={2} spacing="md" verticalSpacing="xs" m={0} mt="xs">
                {rest
                  .filter(({ leftOut }) => !leftOut?.(row))
                  .map((column) => (
                    <Fact key={column.title} name={column.title}>
                      <Cell column={column} row={row} rows={rows} />
                    </Fact>
                  ))}
              </SimpleGrid>
            </>
          )}
        </Box>
      ))}
    </Stack>
  );
}
