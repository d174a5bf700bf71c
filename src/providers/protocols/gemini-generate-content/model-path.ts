import { ProviderError } from '../../contract/provider-error.js';

/**
 * The path of a model below the base URL: `models/gemini-3.8-flash`. A name with a collection of its own
 * (`tunedModels/...`) stays as it is.
 */
export function modelPath(name: string): string {
  const segments = (name.includes('/') ? name : `models/${name}`).split('/');
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..')) {
    throw new ProviderError('model_unavailable', 'The model has a name that is no path');
  }
  return segments.map(encodeURIComponent).join('/');
}
