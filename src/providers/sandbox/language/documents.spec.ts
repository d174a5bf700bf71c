import { marker, readDocuments } from './documents.js';

describe('documents', () => {
  it('are prose or conversations', () => {
    expect(readDocuments('\nA text.\nOn two lines.\n---\nQ: Who?\nA: Me.\n\nReally.\nQ: You?\nA: Yes.\n')).toEqual([
      [{ marker: marker.text, text: 'A text.\nOn two lines.' }],
      [
        { marker: marker.user, text: 'Who?' },
        { marker: marker.assistant, text: 'Me.\n\nReally.' },
        { marker: marker.user, text: 'You?' },
        { marker: marker.assistant, text: 'Yes.' },
      ],
    ]);
  });
});
