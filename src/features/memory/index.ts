/** Memory: updates after runs, commands, search, and compaction of long sessions. */
import { type Feature, perGateway } from '../gateway.ts';
import { createAfterRun } from './after-run.ts';
import { compact } from './command/compact.ts';
import { decideSuggestion } from './command/decide.ts';
import { memory as command } from './command/memory.ts';
import { historyOf } from './history/open.ts';
import { askLeftSoon, compactionOf } from './open-compaction.ts';
import { searchOf } from './open-search.ts';
import { belowAnswer } from './question.ts';
import { recall } from './recall.ts';
import { rewordedBy } from './reworded.ts';
import { keepSuggestions } from './suggested.ts';
import { searchHistory } from './tools/history.ts';
import { forget, whatWasDone } from './tools/own.ts';
import { remember } from './tools/remember.ts';
import { memorySearch } from './tools/search.ts';

const afterRunOf = perGateway(({ home, log, people }) =>
  createAfterRun({ home, log, askOwners: people.owners.askOwners }),
);

export const memory: Feature = {
  name: 'memory',
  commands: [command, compact],
  tools: [remember, memorySearch, forget, whatWasDone, searchHistory],
  recall,
  reply: [{ name: 'memory_suggestion', take: keepSuggestions, passOn: (text) => `Worth remembering: ${text}` }],
  belowWhen: { hasAsks: true },
  below: belowAnswer,
  replied: rewordedBy,
  decide: ({ verb, name, text }, by, gw) => decideSuggestion({ ...by, gw }, verb, name, text),
  search: (viber, words, limit, gw) => searchOf(gw).searchMemory(viber, words, limit),
  answers: {
    when: { state: 'completed', isContinued: true },
    add: (outcome, turn, gw) => afterRunOf(gw).complete(turn, outcome),
  },
  keeps: {
    when: [{ hasAsks: true }, { state: 'completed', hasGuest: false }],
    async keep(outcome, turn, at, gw) {
      await afterRunOf(gw).ask(turn, outcome);
      afterRunOf(gw).note(turn, outcome, at);
    },
  },
  after: {
    when: { isAwaited: true },
    note: (_outcome, { items: [first] }, _at, gw) => first && void compactionOf(gw).ended(first.message.taskId),
  },
  async routes(at, gw) {
    return (await import('./board.ts')).memoryRoutes(at, gw);
  },
  cut: (session, gw) => compactionOf(gw).due(session),
  sweep: (now, gw) => void searchOf(gw).sweep(now),
  start(gw) {
    const stopAsking = askLeftSoon(gw);
    return async () => {
      stopAsking();
      await Promise.all([afterRunOf(gw).flush(), compactionOf(gw).close()]);
      await Promise.all([searchOf(gw).close(), historyOf(gw).close()]);
    };
  },
};
