import { Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import icon from '../theme/icon.svg';

/** The name of the product, which leads to the first page. */
export function Brand() {
  return (
    <Link href="/" style={{ textDecoration: 'none', color: 'inherit' }} aria-label="Switchyard, first page">
      <Group gap={10} wrap="nowrap">
        <img src={icon} width={26} height={26} alt="" />
        <Text fw={650} size="md" style={{ letterSpacing: '-0.01em' }}>
          Switchyard
        </Text>
      </Group>
    </Link>
  );
}
