import { schemaHints } from './schema-hints.js';

describe('hints for a schema', () => {
  it('are what the user named and counted', () => {
    expect(schemaHints('Book a table for 4 in New York, at "Chez Nous", on the 3rd at 19.30. Thanks, Eve', 'Gladly.')).toEqual({
      text: 'Gladly.',
      phrases: ['New York', 'Chez Nous', 'Eve'],
      numbers: [4, 19.3],
    });
  });

  it('are long words where nothing is named', () => {
    expect(schemaHints('what about some information', '').phrases).toEqual(['information', 'about', 'what']);
    expect(schemaHints('', '')).toEqual({ text: 'An example.', phrases: ['example'], numbers: [] });
  });
});
