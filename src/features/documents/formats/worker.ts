/** Extracts the text of one document, in a process that is killed if it uses too much time or memory. */
import { answerInProcess } from '../../../lib/worker-process.ts';
import { documentText } from './by-content.ts';
import { DocumentError } from './refused.ts';

await answerInProcess<null>(
  async (_input, readOpenFile) => ({ bytes: Buffer.from(await documentText(new Uint8Array(readOpenFile()))) }),
  (error) => error instanceof DocumentError,
);
