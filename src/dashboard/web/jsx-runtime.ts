import { Fragment, jsx as make, jsxs as makeOfSeveral } from 'react/jsx-runtime';

/** What turns the text around it or has no form: names may contain it, and no page may be turned by one. */
const commands = /(?![\t\n\r])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;
/** Those of Hebrew, Arabic and their like. */
const letter = String.raw`[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]`;
/** From the first to the last letter that is written from right to left, with no others between them. */
const turned = new RegExp(`(${letter}(?:(?!\\p{Letter})[^]|${letter})*${letter}|${letter})`, 'u');
/** A letter of another direction: without one, all of a text is written from right to left. */
const other = new RegExp(`(?!${letter})\\p{Letter}`, 'u');
const doubtful = new RegExp(`${commands.source}|${letter}`, 'u');
const texts = ['children', 'title', 'aria-label', 'alt', 'placeholder'];
/** Their text has a direction of its own, or no elements in it. */
const plain = new Set(['bdi', 'option', 'text', 'textarea', 'title', 'tspan']);

/**
 * The elements of React, which show such characters as escapes, and isolate what is written from right to left. Fields
 * keep what is typed into them.
 */
export const jsx = showing(make);
export const jsxs = showing(makeOfSeveral);
export { Fragment };

function showing(element: typeof make): typeof make {
  return (type, props, key) => element(type, typeof type === 'string' ? shownIn(type, props as Record<string, unknown>) : props, key);
}

function shownIn(type: string, props: Record<string, unknown>): Record<string, unknown> {
  const changed = texts.filter((name) => [props[name]].flat().some((part) => typeof part === 'string' && doubtful.test(part)));
  if (changed.length === 0) return props;
  return { ...props, ...Object.fromEntries(changed.map((name) => [name, shown(props[name], name === 'children' && !plain.has(type))])) };
}

function shown(value: unknown, isolates: boolean): unknown {
  if (Array.isArray(value)) return value.map((part) => shown(part, isolates));
  if (typeof value !== 'string') return value;
  const text = value.replace(commands, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  if (!isolates || !turned.test(text)) return text;
  if (!other.test(text)) return make('bdi', { children: text });
  // Every second part is written from right to left.
  return make(Fragment, { children: text.split(turned).map((part, place) => (place % 2 ? make('bdi', { children: part }, place) : part)) });
}
