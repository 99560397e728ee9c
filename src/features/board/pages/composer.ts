/** Describes what a message box offers: this person's commands, and the models and levels that they may choose here. */
import { authoriseAction } from '../../../access/authorise.ts';
import { principalText } from '../../../access/principal.ts';
import type { ProtocolParts } from '../../../board/protocol/parts.ts';
import { seenTask } from '../../../board/protocol/refusals.ts';
import { route } from '../../../board/route.ts';
import { type Address, API } from '../../../channels/channel.ts';
import type { Composing } from '../../../client/shapes.ts';
import { menuSpecs } from '../../../runtime/commands/table.ts';
import type { BoardRoute, Caller } from '../../../runtime/contract/board.ts';
import { bindingKey } from '../../../runtime/conversations/conversations.ts';
import { levelsOf } from '../../../runtime/model/choices.ts';
import { chosenAt } from '../../../runtime/model/choose.ts';
import type { Gateway } from '../../gateway.ts';

export function composerRoutes(protocol: ProtocolParts, gw: Gateway): BoardRoute[] {
  const { models, places, tasks, features, config } = gw;
  const { choices } = models;

  /** Returns where the caller's message goes: to a task, or to their own conversation. */
  function sayingPlace(caller: Caller, taskId: string | undefined): Address {
    const { principal, direct, channel = API } = caller;
    const chat = protocol.submissions.chatOf(caller);
    const own = { channel, account: channel, chat };
    if (taskId === undefined) return direct ?? own;
    const bound = tasks.conversations.bound(taskId);
    if (direct && bound.some(({ key }) => key === bindingKey(principal, direct, true))) return direct;
    const there = bound.find(
      ({ address }) => address.channel === channel && address.chat === chat && address.thread !== undefined,
    );
    return there?.address ?? { ...own, thread: taskId };
  }

  function commandRows({ principal, language = 'en' }: Caller): NonNullable<Composing['commands']> {
    const { commands } = features;
    return menuSpecs(commands, language, config).flatMap(({ name, description, argument }) => {
      const command = commands.byName.get(name);
      const isOwners = command?.help?.for === 'owner' && principal.role !== 'owner';
      // The caller counts as one of the task's people here; who they are is checked when the command runs.
      if (!command || isOwners || !authoriseAction(principal, command.action, [principalText(principal)])) return [];
      return [{ name, description, ...(argument && { argument: argument.name }) }];
    });
  }

  return [
    route('GET', '/api/composer', 'caller', async ({ url, caller }) => {
      const asked = url.searchParams.get('task') ?? undefined;
      const taskId = asked === undefined ? undefined : seenTask(asked, caller.principal, protocol).id;
      const { role } = caller.principal;
      const to = { models: choices, settings: places.settings, address: sayingPlace(caller, taskId) };
      const { model, isUsual, thinking } = chosenAt(to);
      const offered = choices.offered().filter(({ id }) => choices.find(id, role === 'owner').kind === 'model');
      const idAndName = ({ id, name }: { id: string; name: string }) => ({ id, name });
      return {
        commands: commandRows(caller),
        models: role === 'guest' ? [] : offered.map(idAndName),
        model: idAndName(model),
        isUsual,
        ...(thinking !== undefined && { thinking }),
        levels: role === 'guest' ? [] : levelsOf(model),
      } satisfies Composing;
    }),
  ];
}
