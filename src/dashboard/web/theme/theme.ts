import { createTheme, type MantineColorsTuple, type MantineThemeOverride } from '@mantine/core';

const signal: MantineColorsTuple = [
  '#e7faf5',
  '#cdf3e9',
  '#9fe6d5',
  '#6cd7bf',
  '#40c6ab',
  '#21b096',
  '#12947e',
  '#0b7a69',
  '#0a6557',
  '#084e43',
];

const dark: MantineColorsTuple = [
  '#e8ebf0',
  '#c1c7d1',
  '#98a1b0',
  '#6d7686',
  '#3a414d',
  '#2a3039',
  '#1a1e25',
  '#101318',
  '#0b0d11',
  '#07090b',
];

const gray: MantineColorsTuple = [
  '#f7f8fa',
  '#f0f2f5',
  '#e5e8ed',
  '#d8dde4',
  '#c2c9d3',
  '#98a2b1',
  '#667182',
  '#475262',
  '#2c3542',
  '#171d26',
];

export const theme: MantineThemeOverride = createTheme({
  primaryColor: 'signal',
  primaryShade: 7,
  colors: { signal, dark, gray },
  fontFamily: "'Geist Variable', system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', 'Roboto Mono', Menlo, Consolas, monospace",
  headings: { fontWeight: '600', sizes: { h1: { fontSize: '1.375rem', lineHeight: '1.3' }, h2: { fontSize: '1.0625rem' } } },
  fontSizes: { xs: '0.75rem', sm: '0.84375rem', md: '0.9375rem' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'sm' } },
    Card: { defaultProps: { withBorder: true, padding: 'lg' } },
    Alert: { styles: { title: { color: 'inherit' } } },
    Modal: {
      styles: { title: { fontWeight: 600, fontSize: '1.0625rem' } },
      defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.45, blur: 2 }, closeButtonProps: { 'aria-label': 'Close' } },
    },
    Drawer: {
      styles: { title: { fontWeight: 600, fontSize: '1.0625rem' } },
      defaultProps: { position: 'right', overlayProps: { backgroundOpacity: 0.35 }, closeButtonProps: { 'aria-label': 'Close' } },
    },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 200, events: { hover: true, focus: true, touch: true } } },
    // Of the colours that are made of a name, those that can be read on their light form.
    Avatar: { defaultProps: { allowedInitialsColors: ['signal', 'indigo', 'violet', 'grape'] } },
    Badge: {
      defaultProps: { variant: 'light', radius: 'sm' },
      styles: { root: { letterSpacing: 0 }, label: { textTransform: 'none', fontWeight: 550 } },
    },
    Table: { defaultProps: { borderColor: 'var(--line)', verticalSpacing: 'sm', horizontalSpacing: 'md' } },
    TableScrollContainer: { defaultProps: { type: 'native', tabIndex: 0 } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Menu: { defaultProps: { withInitialFocusPlaceholder: false, shadow: 'md', position: 'bottom-end' } },
  },
});
