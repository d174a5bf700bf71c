import '@fontsource-variable/geist';
import './theme/mantine.css';
import './theme/theme.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import { showRefusedFields } from './ui/refused';

showRefusedFields();

createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
