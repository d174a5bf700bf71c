import { ProviderError } from '../contract/provider-error.js';

/** The prefix of an inference profile: a geography, or `global`, before the vendor and its model. */
const profile = /^[a-z]+(-[a-z]+)*\.(?=[a-z0-9]+\.[a-z])/;

/** What is behind an ARN of these is not in its name. */
const opaque = /:(application-inference-profile|provisioned-model|custom-model-deployment|imported-model|custom-model)\//;

/**
 * The foundation model that is asked by a name of the vendor: an id, an id of an inference profile, or an ARN.
 * @param id the operator's name of the model, which counts where the vendor's says nothing
 */
export function foundationModel(upstreamModel: string, id = upstreamModel): string {
  const name = opaque.test(upstreamModel) ? id : upstreamModel;
  return name.slice(name.lastIndexOf('/') + 1).replace(profile, '');
}

/** The name of a model at an inference profile; what names a profile already, or is an ARN, stays as it is. */
export function atProfile(id: string, prefix: string | undefined): string {
  return prefix === undefined || profile.test(id) || id.includes('/') ? id : `${prefix}.${id}`;
}

/**
 * The path of a conversation with a model.
 * @throws ProviderError model_unavailable
 */
export function operationOf(upstreamModel: string, stream: boolean): string {
  return `${pathOfModel(upstreamModel)}/${stream ? 'converse-stream' : 'converse'}`;
}

/**
 * The path of a model, behind which its operations stand.
 * @throws ProviderError model_unavailable
 */
export function pathOfModel(upstreamModel: string): string {
  if (upstreamModel === '.' || upstreamModel === '..' || upstreamModel === '')
    throw new ProviderError('model_unavailable', 'The model has a name that is no path');
  return `model/${encodeURIComponent(upstreamModel)}`;
}
