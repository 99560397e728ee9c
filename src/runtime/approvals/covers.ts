/**
 * Describes "Always for this task" in the reader's language. The kind that a tool returns is a key, stored with a
 * person's consent and compared exactly, so it never changes with its description here.
 */
import { type Messages, type Text, words } from '../../messages/messages.ts';
import { spellInvisible } from '../reply/show.ts';

type CoveredCalls = { tool: string; kind: string };

/** `write file` */
export const plainTool = (tool: string): Text => words(spellInvisible(tool.replace(/[_-]+/g, ' ')));

/** @param shown formats a part of the kind for the text */
export function coveredText(
  { tool, kind }: CoveredCalls,
  messages: Messages,
  shown: (text: string) => string = spellInvisible,
): Text {
  if (kind === '') return plainTool(tool);
  for (const [pattern, say] of KINDS) {
    const found = pattern.exec(kind);
    if (found)
      return say(
        messages,
        found.slice(1).map((part) => shown(part)),
        tool,
      );
  }
  return messages.text('questions.allowed', { tool: plainTool(tool), scope: shown(kind) });
}

const KINDS: readonly [RegExp, (messages: Messages, found: readonly string[], tool: string) => Text][] = [
  [/^workspace files$/, (messages) => messages.text('consent.kindWorkspace')],
  [/^artifacts$/, (messages) => messages.text('consent.kindArtifacts')],
  [
    /^the same command, word for word \(([0-9a-f]+)\)$/,
    (messages, [id = '']) => messages.text('consent.kindCommand', { id }),
  ],
  [/^commands like (\S.*)$/, (messages, [kind = '']) => messages.text('consent.kindCommands', { kind })],
  [
    /^all commands in (?:.*\/)?([^/]+), network (none|registries|all)$/,
    (messages, [name = '', network = '']) => messages.text('consent.kindAllCommands', { name, network }),
  ],
  [/^searches by (\S.*)$/, (messages, [name = '']) => messages.text('consent.kindSearches', { name })],
  [/^questions to (\S.*)$/, (messages, [name = '']) => messages.text('consent.kindQuestions', { name })],
  [/^pages of (\S+)$/, (messages, [host = '']) => messages.text('consent.kindPages', { host })],
  [
    /^version ([0-9a-f]+)$/,
    (messages, [id = ''], tool) => messages.text('consent.kindVersion', { tool: plainTool(tool), id }),
  ],
  [
    /^(\S.*) of (\S+), version ([0-9a-f]+)$/,
    (messages, [file = '', skill = '', id = '']) => messages.text('consent.kindFile', { file, skill, id }),
  ],
];
