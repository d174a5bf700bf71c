import { Group, Radio, Stack, Text } from '@mantine/core';
import classes from './role-picker.module.css';
import type { MemberRole } from './members.api';
import { roles } from './roles';

interface RolePickerProps {
  value?: MemberRole;
  onChange: (role: MemberRole) => void;
  label?: string;
}

/** One of the roles, each with what it may do. */
export function RolePicker({ value, onChange, label = 'Role' }: RolePickerProps) {
  return (
    <Radio.Group value={value} onChange={(role) => onChange(role)} label={label} description="Each may also do what those below it may.">
      <Stack gap="xs" mt="xs">
        {roles.map((role) => (
          <Radio.Card key={role.value} value={role.value} className={classes.card} aria-label={`${role.label}: ${role.description}`}>
            <Group wrap="nowrap" align="flex-start" gap="sm">
              <Radio.Indicator mt={2} />
              <div>
                <Text size="sm" fw={550}>
                  {role.label}
                </Text>
                <Text size="xs" c="dimmed">
                  {role.description}
                </Text>
              </div>
            </Group>
          </Radio.Card>
        ))}
      </Stack>
    </Radio.Group>
  );
}
