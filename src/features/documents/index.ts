/** Documents: reads PDF files, office files, web pages and archives as text. */
import type { Feature } from '../gateway.ts';

export const documents: Feature = {
  name: 'documents',
  reads: {
    kinds: ['document', 'page'],
    async read({ path }, { signal }) {
      const { readDocument } = await import('./documents.ts');
      return readDocument(path, signal);
    },
  },
};
