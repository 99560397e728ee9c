/** /continue: the command behind the button under a digest, which continues in the digest's task. */
import { openTask } from '../../../workspace/tasks/index.ts';
import { unknownTask } from '../../conversations/places.ts';
import type { Command } from '../command.ts';
import { noteConversation } from './open.ts';

export const goOn: Command = {
  name: 'continue',
  description: 'Continue with what a job has sent',
  action: 'look',
  hidden: true,
  binds: true,
  isBelow: true,
  async run(context) {
    const { gw, args, task, moves, isDirect, messages } = context;
    if (args.trim() === '') return { text: messages.text('tasks.whichToOpen') };
    if (!moves || !task) return { text: messages.said(unknownTask(args, isDirect)) };
    if (context.principal.role === 'owner') await openTask(gw.home, task).show();
    await noteConversation(context, task);
    return { text: messages.text('jobs.goesOn', { title: task.title }) };
  },
};
