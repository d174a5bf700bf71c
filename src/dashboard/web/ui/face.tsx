import { Avatar, type AvatarProps } from '@mantine/core';

/** Two letters that stand for somebody: the first ones of the words of a name, whatever else is in it. */
export const Face = ({ name, ...props }: AvatarProps & { name: string }) => (
  <Avatar name={name.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} color="initials" aria-hidden {...props} />
);
