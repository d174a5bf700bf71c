import { TextInput, type TextInputProps } from '@mantine/core';

/** The address by which somebody signs in. @param props of the form */
export const EmailField = (props: TextInputProps) => (
  <TextInput
    label="E-mail"
    type="email"
    name="email"
    autoComplete="username"
    required
    withAsterisk={false}
    autoFocus
    size="md"
    {...props}
  />
);
