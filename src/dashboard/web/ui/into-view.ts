/** A ref that brings what has just come into what is seen of the page, and moves nothing that is seen already. */
export const intoView = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' });
