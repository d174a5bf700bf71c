import { Box } from '@mantine/core';
import classes from './code-block.module.css';
import { CopyIcon } from './copy';

/** Text for programs, with a button that copies it. */
export function CodeBlock({ code, label = 'Copy code', maxHeight }: { code: string; label?: string; maxHeight?: number }) {
  return (
    <Box className={classes.frame}>
      <pre className={classes.code} style={{ maxHeight }} tabIndex={0} aria-label="Code">
        <code>{code}</code>
      </pre>
      <Box className={classes.copy}>
        <CopyIcon text={code} label={label} />
      </Box>
    </Box>
  );
}
