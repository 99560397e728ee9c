/** Returns the content of a message before anything is read: fresh lists each time, because the gateway may change it. */
import type { QuotedText, RemoteFile } from '../channel.ts';

export const emptyMessage = () => ({
  text: '',
  files: [] as RemoteFile[],
  facts: [] as string[],
  quotes: [] as QuotedText[],
  isMention: false,
});
