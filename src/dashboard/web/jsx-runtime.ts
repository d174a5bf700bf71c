import { Fragment, jsx as make, jsxs as makeOfSeveral } from 'react/jsx-runtime';

/** What turns the text around it or has no form: names may contain it, and no page may be turned by one. */
const commands = /(?![\t\n\r])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;
const every = new RegExp(commands, 'gu');
const texts = ['children', 'title', 'aria-label', 'alt', 'placeholder'];

/** The elements of React, which show such characters as escapes. Fields keep what is typed into them. */
export const jsx = showing(make);
export const jsxs = showing(makeOfSeveral);
export { Fragment };

function showing(element: typeof make): typeof make {
  return (type, props, key) => element(type, typeof type === 'string' ? shownIn(props as Record<string, unknown>) : props, key);
}

function shownIn(props: Record<string, unknown>): Record<string, unknown> {
  const changed = texts.filter((name) => [props[name]].flat().some((part) => typeof part === 'string' && commands.test(part)));
  if (changed.length === 0) return props;
  return { ...props, ...Object.fromEntries(changed.map((name) => [name, shown(props[name])])) };
}

function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== 'string') return value;
  return value.replace(every, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
