/**
 * The address that clients for the OpenAI format are given. The API may have another address, or another port, than this
 * page.
 */
export function baseUrl(): string {
  const api = document.querySelector<HTMLMetaElement>('meta[name=api]')?.content ?? '';
  if (/^https?:/.test(api)) return `${api}/v1`;
  const { protocol, hostname, host } = location;
  return `${protocol}//${/^\d+$/.test(api) ? `${hostname}:${api}` : host}/v1`;
}
