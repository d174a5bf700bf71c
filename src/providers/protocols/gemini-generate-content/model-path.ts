import { ProviderError } from '../../provider-error.js';

/** A model's path below the base URL: `models/gemini-3.8-flash`, or as it is where it names its own collection (`tunedModels/...`). */
export function modelPath(name: string): string {
  const segments = (name.includes('/') ? name : `models/${name}`).split('/');
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..')) {
    throw new ProviderError('model_unavailable', 'The model has a name that is no path');
  }
  return segments.map(encodeURIComponent).join('/');
}
