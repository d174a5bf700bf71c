import { SimpleGrid } from '@mantine/core';
import { count, duration, short } from '../../ui/numbers';
import { Tile } from '../../ui/tile';
import { Credits } from '../../ui/values';
import { useBalance } from './overview.api';
import type { Totals } from './totals';

interface TilesProps {
  totals: Totals | undefined;
  /** They could not be had. */
  failed: boolean;
}

/** What there is, and what was in the chosen time, in a few numbers. */
export function Tiles({ totals, failed }: TilesProps) {
  const balance = useBalance();
  const { available, held } = balance.data ?? {};
  const unknown = failed ? '–' : undefined;
  const unknownNote = failed ? 'not known now' : undefined;
  const errorRate = totals && totals.requests > 0 ? (totals.errors / totals.requests) * 100 : 0;
  return (
    <SimpleGrid cols={{ base: 2, md: 3, lg: 6 }} spacing={{ base: 'sm', sm: 'md' }}>
      <Tile
        label="Balance"
        value={balance.isPending ? undefined : available === undefined ? '–' : <Credits value={available} />}
        note={
          balance.isError && available === undefined ? 'not known now' : held === undefined ? 'credits to spend' : <Held value={held} />
        }
      />
      <Tile
        label="Spend"
        value={totals ? <Credits value={totals.cost} /> : unknown}
        note={totals && Number(totals.saved) > 0 ? <Saved value={totals.saved} /> : (unknownNote ?? 'credits')}
      />
      <Tile label="Requests" value={totals ? count(totals.requests) : unknown} note={unknownNote ?? 'that ended'} />
      <Tile
        label="Errors"
        value={totals ? `${errorRate === 0 ? '0' : errorRate.toFixed(errorRate < 1 ? 2 : 1)}%` : unknown}
        note={totals ? `${count(totals.errors)} ${totals.errors === 1 ? 'request' : 'requests'}` : unknownNote}
      />
      <Tile
        label="Tokens"
        value={totals ? short(totals.promptTokens + totals.completionTokens) : unknown}
        note={totals ? `${short(totals.promptTokens)} in, ${short(totals.completionTokens)} out` : unknownNote}
      />
      <Tile
        label="First token"
        value={totals ? (totals.firstToken === undefined ? '–' : duration(totals.firstToken)) : unknown}
        note={unknownNote ?? (totals?.firstToken === undefined ? 'nothing streamed' : 'half of the requests')}
      />
    </SimpleGrid>
  );
}

const Held = ({ value }: { value: string }) => (
  <>
    to spend, beside <Credits value={value} /> held
  </>
);

const Saved = ({ value }: { value: string }) => (
  <>
    <Credits value={value} /> saved by caching
  </>
);
