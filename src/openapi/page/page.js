/** Shows a description of the API by Swagger UI, which the build puts before this script. */
const administration = 'admin/v1/openapi.json';

/** Keeps the operations that have what is searched in their address or summary. */
const searched = (groups, text) =>
  groups
    .map((group) =>
      group.update('operations', (all) =>
        all.filter((one) => `${one.get('path')} ${one.getIn(['operation', 'summary'])}`.toLowerCase().includes(text.toLowerCase())),
      ),
    )
    .filter((group) => group.get('operations').size > 0);

document.documentElement.classList.toggle('dark-mode', matchMedia('(prefers-color-scheme: dark)').matches);
SwaggerUIBundle({
  url: location.search === '?administration' ? administration : 'openapi.json',
  dom_id: '#content',
  deepLinking: true,
  validatorUrl: null,
  filter: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: -1,
  plugins: [
    {
      fn: { opsFilter: searched },
      // Links within buttons, and a list of one server, are of no use to screen readers.
      components: { DeepLink: ({ text }) => text, ServersContainer: () => null },
      wrapComponents: {
        TextArea:
          (TextArea, { React }) =>
          (props) =>
            React.createElement(TextArea, { 'aria-label': 'Body', ...props }),
      },
    },
  ],
});

/** Where the administration has a port of its own, only that port answers it, and the dashboard. */
async function showLinks() {
  const { ok } = await fetch(administration, { method: 'HEAD' });
  for (const link of document.querySelectorAll('nav [hidden]')) link.hidden = !ok;
}
void showLinks();
