import { type Image, newId } from './conversation';

/** Images of one prompt at most, and bytes of each. */
export const MAX_IMAGES = 4;
export const MAX_BYTES = 5 * 1024 * 1024;

/** What every model that takes images takes. */
export const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

/**
 * Reads files as images.
 * @param room how many more fit
 * @returns those that could be taken, and what is wrong with the others
 */
export async function imagesOf(files: readonly File[], room: number): Promise<{ images: Image[]; problem?: string }> {
  const pictures = files.filter(({ type }) => imageTypes.includes(type));
  const small = pictures.filter(({ size }) => size <= MAX_BYTES);
  const images = await Promise.all(small.slice(0, room).map(async (file) => ({ id: newId(), name: file.name, url: await dataUrl(file) })));
  if (pictures.length < files.length) return { images, problem: 'Images are PNG, JPEG, WebP or GIF.' };
  if (small.length < pictures.length) return { images, problem: 'An image may have 5 MB at most.' };
  return small.length > room ? { images, problem: `A prompt may have ${MAX_IMAGES} images at most.` } : { images };
}

function dataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(reader.result as string));
    reader.addEventListener('error', () => reject(reader.error ?? new Error('The file could not be read.')));
    reader.readAsDataURL(file);
  });
}
