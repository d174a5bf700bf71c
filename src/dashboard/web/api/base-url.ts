/** The address that clients for the OpenAI format are given. The API may be on another port than this page. */
export function baseUrl(): string {
  const port = document.querySelector<HTMLMetaElement>('meta[name=api-port]')?.content ?? '';
  const { protocol, hostname, host } = location;
  return `${protocol}//${/^\d+$/.test(port) ? `${hostname}:${port}` : host}/v1`;
}
