import { useDidUpdate } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';

/** A dialog whose code is loaded when it is opened for the first time: `later` makes such components. */
export function WhenOpened({ opened, children }: { opened: boolean; children: ReactNode }) {
  const [wanted, setWanted] = useState(opened);
  if (opened && !wanted) setWanted(true);
  useFocusBack(opened);
  return wanted && children;
}

/** What of the page had the focus last; dialogs and menus are beside the page. */
let last: HTMLElement | undefined;
document.addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLElement && target.closest('#root')) last = target;
});

/**
 * Puts the focus back when a dialog is closed. Dialogs do so by themselves, but not where they are open from their
 * beginning, nor where another dialog has opened them.
 */
function useFocusBack(opened: boolean): void {
  useDidUpdate(() => {
    if (opened) return undefined;
    const before = document.activeElement;
    const timer = setTimeout(() => {
      const now = document.activeElement;
      if (now === null || now === document.body || now === before) last?.focus({ preventScroll: true });
    }, 10);
    return () => clearTimeout(timer);
  }, [opened]);
}
