/** Which files are fetched where a message, what it points at and its thread have more than one message may bring. */
import { expect, it } from 'vitest';
import type { InboundMessage, QuotedText, RemoteFile } from '../../../src/channels/channel.ts';
import { fetchFiles } from '../../../src/runtime/run/inbox-files.ts';

it('the senders own come first, then those of what is answered or passed on, and those of a thread last', async () => {
  const file = (name: string): RemoteFile => ({ id: name, key: name, name, mimeType: 'text/plain', kind: 'document' });
  const quote = (kind: QuotedText['kind'], ...names: string[]): QuotedText => ({
    ...{ kind, from: 'Kim', text: 'x', fromSelf: false },
    files: names.map(file),
  });
  // biome-ignore format: a row is a line
  const message = {
    address: { channel: 'slack', account: 'B', chat: 'C', thread: '1' },
    files: [file('own')],
    quotes: [quote('thread', ...Array.from({ length: 10 }, (_, n) => `root${n}`)), quote('reply', 'answered'), quote('forward', 'passed-on', 'own')],
  } as unknown as InboundMessage;
  const { problems } = await fetchFiles([message], {
    ...{ home: {} as never, taskId: 't', people: [], limits: { downloadBytes: 1, filesPerMessage: 5 } },
    ...{ signal: new AbortController().signal, channelOf: () => undefined },
  });
  const named = (word: string) =>
    problems.filter((problem) => problem.includes(word)).map((problem) => /"([^"]+)"/.exec(problem)?.[1]);
  expect(named('cannot fetch')).toEqual(['own', 'answered', 'passed-on', 'root0', 'root1']);
  expect(named('left out')).toHaveLength(8);
});
