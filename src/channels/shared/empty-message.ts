/** Returns the content of a message before anything of it is read. */
import type { QuotedText, RemoteFile } from '../channel.ts';

export const emptyMessage = () => ({
  text: '',
  files: [] as RemoteFile[],
  facts: [] as string[],
  quotes: [] as QuotedText[],
  isMention: false,
});
