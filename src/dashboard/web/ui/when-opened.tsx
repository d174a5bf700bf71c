import { type ReactNode, Suspense, useState } from 'react';

/** A dialog whose code is loaded when it is opened for the first time: `lazy` makes such components. */
export function WhenOpened({ opened, children }: { opened: boolean; children: ReactNode }) {
  const [wanted, setWanted] = useState(opened);
  if (opened && !wanted) setWanted(true);
  return wanted && <Suspense fallback={null}>{children}</Suspense>;
}
