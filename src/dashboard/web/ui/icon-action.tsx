import { ActionIcon, type ActionIconProps, Tooltip } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';

interface IconActionProps extends ActionIconProps {
  icon: Icon;
  /** What it does, as one who points at it is told. */
  label: string;
  /** What it does to what, for those who cannot see where it stands; absent: the label. */
  name?: string;
  onClick: () => void;
}

/** A button that is an icon. */
export function IconAction({ icon: Symbol, label, name = label, ...props }: IconActionProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" aria-label={name} {...props}>
        <Symbol size={16} />
      </ActionIcon>
    </Tooltip>
  );
}
