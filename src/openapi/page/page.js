/** Shows the descriptions of the API. It is the script of a page of its own; nothing imports it. */
const sources = [
  { name: 'API', href: 'openapi.json' },
  { name: 'Administration', href: 'admin/v1/openapi.json' },
];

const element = (id) => document.getElementById(id);

/** Makes an element. What is no element becomes text. */
function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(name, value);
  made.append(...children.filter((child) => child !== undefined && child !== ''));
  return made;
}

/** Text with `code` in it. */
function inline(text) {
  return text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 0 ? part : make('code', {}, part)));
}

/** Paragraphs and lists. */
function prose(text = '') {
  const blocks = text.split(/\n{2,}|\n(?=- )/).filter(Boolean);
  return blocks.map((block) => make('p', {}, ...inline(block.replace(/^- /, ''))));
}

class Page {
  #document;

  constructor(description) {
    this.#document = description;
  }

  show() {
    const { info, tags, paths } = this.#document;
    element('version').textContent = info.version;
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
    );
    const groups = tags.map((tag) => ({ ...tag, operations: operations.filter((operation) => operation.tags.includes(tag.name)) }));
    element('operations').replaceChildren(...groups.flatMap((group) => this.#navigation(group)));
    element('content').replaceChildren(
      make('h1', {}, info.title),
      ...prose(info.description),
      make('p', {}, 'The address of this server is ', make('code', {}, location.origin), '.'),
      ...groups.map((group) => this.#group(group)),
    );
    if (location.hash) element(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
  }

  #navigation({ name, operations }) {
    const links = operations.map(({ operationId, method, summary, path }) =>
      make(
        'li',
        { 'data-text': `${method} ${path} ${summary}`.toLowerCase() },
        make('a', { href: `#${operationId}` }, badge(method), summary),
      ),
    );
    return [make('h2', {}, name), make('ul', {}, ...links)];
  }

  #group({ name, description, operations }) {
    return make('section', {}, make('h2', {}, name), ...prose(description), ...operations.map((one) => this.#operation(one)));
  }

  #operation(operation) {
    const { operationId, method, path, summary, description, security, parameters = [], requestBody } = operation;
    const schema = requestBody?.content['application/json'].schema;
    const key = security ? Object.keys(security[0])[0] : undefined;
    return make(
      'article',
      { id: operationId },
      make('h3', {}, summary),
      make('div', { class: 'address' }, badge(method), path),
      ...prose(description),
      make('p', { class: 'soft' }, `Needs ${needs[key] ?? 'no key'}.`),
      ...titled('Parameters', parameters.length > 0 && this.#fields(parameters.map((one) => this.#parameter(one)))),
      ...titled('Body', schema && this.#properties(schema)),
      ...titled('Request', this.#examples(operation)),
      ...titled('Answers', this.#answers(operation.responses)),
    );
  }

  #parameter({ name, in: place, required, description, schema }) {
    return { name, note: place, required, schema: { ...schema, description } };
  }

  #answers(responses) {
    const shown = Object.entries(responses).map(([status, answer]) => {
      const { description, headers, content = {} } = this.#resolved(answer);
      const [first, ...rest] = prose(description);
      const bodies = Object.entries(content).map(([type, { schema }]) => {
        const event = schema.properties?.data?.anyOf?.[1]?.contentSchema;
        const inner = event ?? schema;
        return make('div', {}, make('p', { class: 'soft' }, event ? `${type}, each event:` : type), this.#properties(inner) ?? '');
      });
      const names = Object.keys(headers ?? {}).map((name) => ({
        name,
        schema: this.#resolved(headers[name]).schema,
        text: this.#resolved(headers[name]).description,
      }));
      const fields = names.map(({ name, schema, text }) => ({ name, note: 'header', schema: { ...schema, description: text } }));
      const summary = make(
        'summary',
        {},
        make('code', {}, status),
        ' ',
        ...(rest.length > 0 ? [`${rest.length + 1} codes`] : (first?.childNodes ?? [])),
      );
      return onOpen(summary, () => [...(rest.length > 0 ? [first, ...rest] : []), ...(status < 400 ? bodies : []), this.#fields(fields)]);
    });
    return make('div', { class: 'answers' }, ...shown);
  }

  /** The fields of a value: what an object has, or each of several kinds. */
  #properties(schema) {
    const { properties, required = [], items, anyOf, allOf, additionalProperties } = this.#resolved(schema);
    if (properties) {
      const fields = Object.entries(properties).map(([name, value]) => ({ name, required: required.includes(name), schema: value }));
      return fields.length > 0 ? this.#fields(fields) : undefined;
    }
    if (items) return this.#properties(items);
    const kinds = (anyOf ?? allOf ?? []).filter((kind) => this.#inner(kind));
    if (kinds.length === 1) return this.#properties(kinds[0]);
    if (kinds.length > 1) return this.#fields(kinds.map((kind) => ({ name: this.#type(kind), schema: kind })));
    return typeof additionalProperties === 'object' ? this.#properties(additionalProperties) : undefined;
  }

  #inner(schema) {
    const { properties, items, anyOf, allOf, additionalProperties } = this.#resolved(schema);
    if (properties) return Object.keys(properties).length > 0;
    if (items) return this.#inner(items);
    if (anyOf ?? allOf) return (anyOf ?? allOf).some((kind) => this.#inner(kind));
    return typeof additionalProperties === 'object' && this.#inner(additionalProperties);
  }

  #fields(fields) {
    return make('ul', { class: 'fields' }, ...fields.map((field) => this.#field(field)));
  }

  #field({ name, note, required, schema }) {
    const type = this.#type(schema);
    const head = [
      make('span', { class: 'name' }, name),
      ' ',
      make('span', { class: 'type' }, [note, type === name ? '' : type, bounds(schema)].filter(Boolean).join(', ')),
      required ? make('span', { class: 'required' }, ' required') : '',
    ];
    const text = prose(schema.description ?? (schema.$ref ? this.#resolved(schema).description : undefined));
    if (!this.#inner(schema)) return make('li', {}, ...head, ...text);
    const lines = text.map(({ childNodes }) => make('span', { class: 'line' }, ...childNodes));
    const summary = make('summary', {}, ...head, ...lines);
    return make(
      'li',
      {},
      onOpen(summary, () => [this.#properties(schema)]),
    );
  }

  /** A schema in words. */
  #type(schema) {
    const { $ref, type, enum: words, const: word, items, anyOf, format, additionalProperties } = schema;
    if ($ref) {
      const { enum: known } = this.#resolved(schema);
      return known ? this.#type(this.#resolved(schema)) : $ref.split('/').at(-1);
    }
    if (word !== undefined) return JSON.stringify(word);
    if (words) return words.map((one) => JSON.stringify(one)).join(' | ');
    if (anyOf) return anyOf.map((kind) => this.#type(kind)).join(' or ');
    const own = [type ?? 'any'].flat().map((one) => (one === 'array' && items ? `list of ${this.#type(items)}` : one));
    if (type === 'object' && typeof additionalProperties === 'object') return `object of ${this.#type(additionalProperties)}`;
    return `${own.join(' or ')}${format ? ` (${format})` : ''}`;
  }

  #resolved(value) {
    if (!value.$ref) return value;
    return value.$ref.slice(2).split('/').reduce((found, part) => found[part], this.#document); // prettier-ignore
  }

  #examples(operation) {
    const { examples, schema } = operation.requestBody?.content['application/json'] ?? {};
    const bodies = Object.entries(examples ?? {}).map(([name, { value }]) => [name, value]);
    if (schema && bodies.length === 0) bodies.push(['', this.#sample(schema)]);
    if (bodies.length < 2) return this.#command(curl(operation, bodies[0]?.[1]));
    const shown = make('div', {});
    const buttons = bodies.map(([name, body]) => {
      const button = make('button', { type: 'button', 'aria-pressed': 'false' }, name);
      button.addEventListener('click', () => {
        for (const other of buttons) other.setAttribute('aria-pressed', String(other === button));
        shown.replaceChildren(this.#command(curl(operation, body)));
      });
      return button;
    });
    buttons[0].click();
    return make('div', {}, make('div', { class: 'examples' }, ...buttons), shown);
  }

  #command(text) {
    const copy = make('button', { type: 'button' }, 'Copy');
    copy.addEventListener('click', async () => {
      await navigator.clipboard.writeText(text);
      copy.textContent = 'Copied';
    });
    return make('div', {}, make('pre', { tabindex: '0' }, text), navigator.clipboard ? copy : '');
  }

  /** A value that a schema allows, with what is required. */
  #sample(schema, depth = 0) {
    const {
      type,
      enum: words,
      const: word,
      default: usual,
      properties = {},
      required = [],
      items,
      anyOf,
      format,
      minimum,
    } = this.#resolved(schema);
    if (word !== undefined) return word;
    if (usual !== undefined) return usual;
    if (words) return words[0];
    if (anyOf) return this.#sample(anyOf[0], depth);
    const [kind] = [type].flat();
    if (kind === 'object') {
      const named = Object.entries(properties).filter(([name]) => required.includes(name) || (depth === 0 && required.length === 0));
      return Object.fromEntries(named.map(([name, value]) => [name, this.#sample(value, depth + 1)]));
    }
    if (kind === 'array') return items && depth < 4 ? [this.#sample(items, depth + 1)] : [];
    if (kind === 'integer' || kind === 'number') return minimum ?? 1;
    if (kind === 'boolean') return true;
    return format === 'date-time' ? '2030-01-01T00:00:00Z' : '...';
  }
}

function badge(method) {
  return make('span', { class: `method ${method}` }, `${method.toUpperCase()} `);
}

function titled(title, content) {
  return content ? [make('h4', {}, title), content] : [];
}

/** Details whose content is made when they are opened: schemas may refer to themselves. */
function onOpen(summary, content) {
  const details = make('details', {}, summary);
  details.addEventListener('toggle', () => details.open && details.children.length === 1 && details.append(...content().filter(Boolean)));
  return details;
}

function bounds({ minimum, maximum, exclusiveMinimum, minLength, maxLength, minItems, maxItems, maxProperties, pattern, default: usual }) {
  const range = (least, most, unit) => {
    if (least === undefined && most === undefined) return '';
    if (least === undefined) return `at most ${most}${unit}`;
    return most === undefined ? `at least ${least}${unit}` : `${least} to ${most}${unit}`;
  };
  return [
    range(minimum, maximum, ''),
    exclusiveMinimum === undefined ? '' : `more than ${exclusiveMinimum}`,
    range(minLength, maxLength, ' characters'),
    range(minItems, maxItems ?? maxProperties, ' elements'),
    pattern ? `as ${pattern}` : '',
    usual === undefined ? '' : `default ${JSON.stringify(usual)}`,
  ]
    .filter(Boolean)
    .join(', ');
}

const needs = { api_key: 'an API key', admin_token: 'a token of the administration, or a session', session: 'a session' };

const sent = {
  api_key: ['-H "Authorization: Bearer $SWITCHYARD_API_KEY"'],
  admin_token: ['-H "Authorization: Bearer $SWITCHYARD_ADMIN_TOKEN"'],
  session: ['-b "switchyard_session=$SESSION"'],
};

function curl({ method, path, security, parameters = [] }, body) {
  const needed = parameters.filter(({ in: place, required }) => place === 'query' && required).map(({ name }) => `${name}=...`);
  const address =
    location.origin + path.replace(/\{(\w+)\}/g, (_, name) => `$${name.toUpperCase()}`) + (needed.length > 0 ? `?${needed.join('&')}` : '');
  const lines = [`curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"${address}"`];
  if (security) lines.push(...sent[Object.keys(security[0])[0]]);
  if (security && 'session' in security[0] && method !== 'get') lines.push('-H "X-CSRF-Token: $CSRF_TOKEN"');
  for (const { name, in: place, required } of parameters) if (place === 'header' && required) lines.push(`-H "${name}: ..."`);
  if (body !== undefined)
    lines.push('-H "Content-Type: application/json"', `-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`);
  return lines.join(' \\\n  ');
}

function filter() {
  const wanted = element('filter').value.trim().toLowerCase();
  for (const entry of document.querySelectorAll('#operations li')) entry.hidden = !entry.dataset.text.includes(wanted);
}

async function read({ name, href }) {
  const answer = await fetch(href);
  return answer.ok ? { name, href, description: await answer.json() } : undefined;
}

function choose(all, chosen) {
  const buttons = all.map((one) => {
    const button = make('button', { type: 'button', 'aria-pressed': String(one === chosen) }, one.name);
    button.addEventListener('click', () => {
      history.replaceState(null, '', location.pathname);
      choose(all, one);
      scrollTo(0, 0);
    });
    return button;
  });
  element('documents').replaceChildren(...(all.length > 1 ? buttons : []));
  element('raw').setAttribute('href', chosen.href);
  new Page(chosen.description).show();
  filter();
}

async function start() {
  const all = (await Promise.all(sources.map(read))).filter((one) => one && Object.keys(one.description.paths).length > 0);
  if (all.length === 0) throw new Error('no description');
  element('dashboard').hidden = !all.some(({ href }) => href.startsWith('admin/'));
  const wanted = decodeURIComponent(location.hash.slice(1));
  const has = ({ description }) =>
    Object.values(description.paths).some((path) => Object.values(path).some((one) => one.operationId === wanted));
  choose(all, all.find(has) ?? all[0]);
}

element('filter').addEventListener('input', filter);
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
  event.preventDefault();
  element('filter').focus();
});
start().catch(() => {
  element('content').textContent = 'The description of the API cannot be read.';
});
