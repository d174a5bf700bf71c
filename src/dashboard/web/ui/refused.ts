/** Frames of the browser in which what hides a field may open. */
const FRAMES = 60;

/** Shows and focuses the first field of a form whose value was refused, once it can be seen. */
export function showRefused(form: Element, frames = FRAMES): void {
  // What Mantine puts around a password has it too, and takes no focus.
  const field = form.querySelector<HTMLElement>(':not(div)[aria-invalid=true], [data-refused]');
  field?.focus();
  if (frames > 0 && (!field || document.activeElement !== field)) requestAnimationFrame(() => showRefused(form, frames - 1));
}

/** Does so for every form of the page, when it is sent. */
export function showRefusedFields(): void {
  document.addEventListener('submit', ({ target }) => requestAnimationFrame(() => showRefused(target as Element)));
}
