/** Lists who may talk to the viber: people, pairing requests, linked accounts and logins. */
import { z } from 'zod';
import { readBody } from '../../../board/respond.ts';
import { pageOf, route } from '../../../board/route.ts';
import { say } from '../../../messages/messages.ts';
import type { BoardRoute, Caller } from '../../../runtime/contract/board.ts';
import { questionId } from '../../../runtime/contract/buttons.ts';
import { plainName } from '../../../runtime/conversations/places.ts';
import { byAt } from '../../../runtime/reply/outcomes.ts';
import { configOf, type Gateway } from '../../gateway.ts';
import type { Sessions } from '../sessions.ts';

const verdictBody = z.object({ verdict: z.enum(['approve', 'deny']) });

export function peopleRoutes(sessions: Sessions, gw: Gateway): BoardRoute[] {
  const config = configOf(gw);
  const { pairing, links } = gw.people;

  const people = () => [
    ...config.people.map(({ name, role, ids }) => ({ name, role, ids })),
    ...pairing.paired().map(({ name, role, identity }) => ({ name, role, ids: [identity] })),
  ];
  const pending = () =>
    pairing.pending(Date.now()).map(({ code, name, channel, identity, createdAt }) => ({
      code,
      name,
      channel,
      id: identity,
      at: new Date(createdAt).toISOString(),
    }));
  const linked = () => {
    const byPerson = Map.groupBy(links.links(), ({ person }) => person);
    return [...byPerson].map(([person, all]) => ({ person, ids: all.map(({ identity }) => identity) }));
  };
  const sessionsFor = (caller: Caller) =>
    sessions.list(Date.now()).map(({ since, seen, ...session }) => ({
      ...session,
      createdAt: since,
      lastSeenAt: seen,
      ...(caller.id === session.id && { isThis: true }),
    }));

  return [
    route('GET', '/api/people', 'owner', async ({ caller, url }) => {
      const all = pageOf(people(), ({ name, ids }) => ids[0] ?? name, url);
      const allLinks = pageOf(linked(), ({ person }) => person, url, 'afterLink');
      return {
        people: all.items,
        pairing: pending(),
        links: allLinks.items,
        sessions: sessionsFor(caller),
        ...(all.next !== undefined && { next: all.next }),
        ...(allLinks.next !== undefined && { nextLink: allLinks.next }),
      };
    }),
    route('POST', '/api/pairing/:code', 'owner', async (asked) => {
      const { verdict } = await readBody(asked, verdictBody);
      const { code = '' } = asked.params;
      if (verdict === 'approve') pairing.approve(code, Date.now());
      else pairing.deny(code, Date.now());
      const { name } = asked.caller.principal;
      const when = byAt({ name: plainName(name), at: new Date(), zone: config.jobs.timezone });
      const outcome = say(verdict === 'approve' ? 'outcomes.letIn' : 'outcomes.turnedAway', when);
      await gw.consent.questions.decided(questionId.pairing(code), outcome);
      return { verdict };
    }),
  ];
}
