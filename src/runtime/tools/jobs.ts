/**
 * `create_scheduled_job`, `list_scheduled_jobs`, `delete_scheduled_job` (J8): for owners. What is about to be made is shown with its
 * next three times before it is (T18), whatever the viber's mode asks about otherwise.
 */
import { z } from 'zod';
import type { Principal } from '../../access/principal.ts';
import type { Address } from '../../channels/channel.ts';
import { UserError } from '../../errors.ts';
import type { JobDesk, JobView, NewJob } from '../job-desk.ts';
import type { RuntimeTool } from '../task.ts';
import { defineTool } from './scope.ts';

export interface JobToolDeps {
  desk: JobDesk;
  principal: Principal;
  /** Where it is asked for; the default of `deliver`. */
  from: Address;
}

const createInput = z.object({
  name: z.string(),
  schedule: z.string().describe('cron or words: "8am daily", "every monday 17:30", "tomorrow 9am"'),
  prompt: z.string().describe('what to do each time'),
  deliver: z.array(z.string()).max(10).describe('addresses; default: this conversation').exactOptional(),
  timezone: z.string().describe('IANA').exactOptional(),
  skills: z.array(z.string()).exactOptional(),
  model: z.string().exactOptional(),
});

/** Models leave out by empty texts and lists. */
function newJob({ deliver, timezone, skills, model, ...rest }: z.infer<typeof createInput>): NewJob {
  return {
    ...rest,
    ...(deliver?.length ? { deliver } : {}),
    ...(timezone?.trim() ? { timezone } : {}),
    ...(skills === undefined ? {} : { skills }),
    ...(model?.trim() ? { model } : {}),
  };
}

const shown = ({ id, name, words, timezone, state, next, deliver }: JobView) => ({
  ...{ id, name, schedule: words, timezone, state, next, deliver },
});

/** Three times as people read them, in the zone they are meant in. */
export function timesText(next: readonly string[], timezone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    ...{ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' },
    timeZone: timezone,
  });
  return next.map((time) => `- ${format.format(new Date(time))}`).join('\n');
}

export function jobTools({ desk, principal, from }: JobToolDeps): RuntimeTool[] {
  const check = () => {
    if (principal.role !== 'owner') throw new UserError('Only an owner may schedule jobs.');
  };
  return [
    defineTool({
      name: 'create_scheduled_job',
      description:
        'Schedule work: each time a fresh agent does the prompt and its answer is sent. The person confirms it.',
      input: createInput,
      effect: 'idempotent',
      asksBefore(input) {
        check();
        desk.preview(newJob(input));
        return true;
      },
      noteFor(input) {
        const { words, timezone, next } = desk.preview(newJob(input));
        return `${words}. The next times (${timezone}):\n${timesText(next, timezone)}`;
      },
      async execute(input) {
        check();
        return shown(await desk.create(newJob(input), principal, from));
      },
    }),
    defineTool({
      name: 'list_scheduled_jobs',
      description: 'The scheduled jobs with their next times.',
      input: z.object({}),
      effect: 'read',
      execute() {
        check();
        return Promise.resolve({ jobs: desk.list().slice(0, 50).map(shown) });
      },
    }),
    defineTool({
      name: 'delete_scheduled_job',
      description: 'Delete a scheduled job.',
      input: z.object({ name: z.string() }),
      effect: 'idempotent',
      consent: 'effects',
      async execute({ name }) {
        check();
        const { id } = await desk.remove(name, principal);
        return { deleted: id };
      },
    }),
  ];
}
