import type { Step } from './steps.js';

/** The command of a POSIX shell that does a step. Whatever the user has said stands in it as one quoted word. */
export function shellCommand(step: Step): string {
  switch (step.kind) {
    case 'run':
      return step.command;
    case 'list':
      if (step.glob !== undefined) return `find ${word(step.directory ?? '.')} -name ${word(step.glob.split('/').at(-1)!)}`;
      return step.directory === undefined ? 'ls' : `ls ${word(step.directory)}`;
    case 'read':
      return `cat ${word(step.file)}`;
    case 'search':
      return `grep -rn -e ${word(step.pattern)} ${word(step.directory ?? '.')}`;
    case 'append':
      return `printf '%s\\n' ${word(step.text)} >> ${word(step.file)}`;
    case 'write':
      return step.text === undefined ? `touch ${word(step.file)}` : `printf '%s\\n' ${word(step.text)} > ${word(step.file)}`;
    default:
      return replacing(step);
  }
}

/** The option -i has an argument on some systems and none on others; with a suffix behind it all understand it. */
function replacing({ file, from, to }: Extract<Step, { kind: 'edit' }>): string {
  const pattern = from.replaceAll(/[\\/.*[\]^$]/g, '\\$&');
  const replacement = to.replaceAll(/[\\/&]/g, '\\$&').replaceAll('\n', '\\\n');
  return `sed -i.bak ${word(`s/${pattern}/${replacement}/g`)} ${word(file)} && rm ${word(`${file}.bak`)}`;
}

const word = (text: string) => (/^[\w@%+=:,./~-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replaceAll("'", `'\\''`)}'`);
