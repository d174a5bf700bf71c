import fc from 'fast-check';
import { composed, type Filler, type HostileBody, partOf, repeated, texts, values } from './hostile-bodies.js';
import { chatForm, embeddingsForm, type Form } from './hostile-forms.js';

/** Numbers of prompts: one, some, as many as are answered, one more, and far more. */
const counts = fc.oneof(fc.constantFrom(1, 2, 8, 64, 127, 128, 129), fc.integer({ min: 130, max: 100_000 }));
/** How a text begins: one character and one escape make the whole dearer. */
const beginnings = fc.constantFrom('', '€', '€\\n');

const textOf = (beginning: string, text: string, bytes: number) => `"${beginning}${text.repeat(Math.max(1, bytes / text.length))}"`;

/** Of lists, the last value has its comma too: it is cut off. */
const inList =
  (fill: Filler): Filler =>
  (bytes) =>
    `[${fill(bytes).slice(0, -1)}]`;

/** The value of `prompt` or `input`, of so many bytes. */
const prompts: fc.Arbitrary<Filler> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(beginnings, texts).map(
      ([beginning, text]): Filler =>
        (bytes) =>
          textOf(beginning, text, bytes),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(counts, beginnings, texts).map(([count, beginning, text]): Filler => {
      return (bytes) => `[${Array.from({ length: count }, () => textOf(beginning, text, bytes / count - 3)).join(',')}]`;
    }),
  },
  // Tokens, as OpenAI takes them: a list of them, and a list of lists; with white space there are few enough to be read.
  fc.nat(300).map((spaces): Filler => inList(repeated((index) => `${' '.repeat(spaces)}${index % 100_000},`))),
  fc
    .tuple(fc.integer({ min: 1, max: 5_000 }), fc.nat(100))
    .map(([tokens, spaces]): Filler => inList(repeated(() => `[${`${' '.repeat(spaces)}50256,`.repeat(tokens).slice(0, -1)}],`))),
  values.map((value): Filler => inList(repeated(() => value))),
  fc.tuple(values, texts).map(([value, text]): Filler => inList(repeated(() => `${value}${textOf('', text, 70_000)},`))),
);

/** Members that belong to a prompt; what is too large to be echoed is refused. */
const options = ['', '"echo":true,', '"suffix":"x",', '"suffix":"' + '€'.repeat(300_000) + '",', '"n":"1",', '"logprobs":9,'];
const embeddingOptions = ['', '"dimensions":3,', '"dimensions":"3",', '"user":"' + '€'.repeat(300_000) + '",'];

/** Bodies of about `bytes` bytes for a model `m`, most of whose bytes are in the member that has the prompts. */
function hostile(bytes: number, names: readonly string[], members: readonly string[], form: Form): fc.Arbitrary<HostileBody> {
  const prompt = fc.tuple(fc.constantFrom(...names), prompts, fc.constantFrom(...members)).map(
    ([called, fill, option]): Filler =>
      (length) =>
        `${option}"${called}":${fill(Math.max(1, length))},`,
  );
  const alone = prompt.map((fill): readonly Filler[] => [fill]);
  const beside = fc.tuple(prompt, partOf(form)).map((fillers): readonly Filler[] => fillers);
  return composed(bytes, fc.oneof({ weight: 4, arbitrary: alone }, beside), { asked: '', last: form.last });
}

/** Bodies of legacy completions. */
export function hostilePrompt(bytes: number): fc.Arbitrary<HostileBody> {
  return hostile(bytes, ['prompt', 'pr\\u006fmpt'], options, chatForm);
}

export function hostileInput(bytes: number): fc.Arbitrary<HostileBody> {
  return hostile(bytes, ['input', 'inp\\u0075t'], embeddingOptions, embeddingsForm);
}
