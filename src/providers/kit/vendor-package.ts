import { isObject } from '../../wire/json-object.js';

/**
 * A package of a vendor that the entries of one type need. It is an optional peer dependency, so that nobody installs
 * the packages of vendors that are not asked.
 * @param names what an operator has to install
 * @param load imports it
 * @throws Error (rejects) that names what has to be installed
 */
export async function vendorPackage<Package>(names: readonly string[], load: () => Promise<Package>): Promise<Package> {
  try {
    return await load();
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new Error(`it needs packages that are not installed: npm install ${names.join(' ')}`, { cause: error });
  }
}

function isNotFound(error: unknown): boolean {
  return isObject(error) && (error['code'] === 'ERR_MODULE_NOT_FOUND' || error['code'] === 'MODULE_NOT_FOUND');
}
