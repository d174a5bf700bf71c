import type { Attack } from './attack.ts';
import { boundAttacks } from './attacks/bound.ts';
import { bodyAttacks } from './attacks/bodies.ts';
import { countAttacks } from './attacks/counts.ts';
import { edgeAttacks } from './attacks/edges.ts';
import { formatAttacks } from './attacks/formats.ts';
import { flowAttacks } from './attacks/flow.ts';
import { leavingAttacks } from './attacks/leaving.ts';
import { peopleAttacks } from './attacks/people.ts';
import { sharedAttacks } from './attacks/shared.ts';
import { storedAttacks } from './attacks/stored.ts';
import { stopAttacks } from './attacks/stop.ts';
import { workAttacks } from './attacks/work.ts';

/** All attacks, in the order in which they are played. */
export const attacks: readonly Attack[] = [
  ...boundAttacks,
  ...countAttacks,
  ...leavingAttacks,
  ...flowAttacks,
  ...bodyAttacks,
  ...workAttacks,
  ...stopAttacks,
  ...sharedAttacks,
  ...edgeAttacks,
  ...peopleAttacks,
  ...storedAttacks,
  ...formatAttacks,
];
