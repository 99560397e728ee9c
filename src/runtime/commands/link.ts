/**
 * /link: two accounts become one person (promise 39). The code is a key to the account that showed it, so everything happens in
 * direct messages, and the account that showed it is told who used it.
 */
import type { LinkAddress, LinkRefusal, Links } from '../../access/links.ts';
import { aliasesOf, identityText, type Principal } from '../../access/principal.ts';
import { UserError } from '../../errors.ts';
import { channelName, plainName, shownPerson } from '../conversations/places.ts';
import type { Command, CommandContext, CommandReply } from './command.ts';

const SHOWN = 30;
const CODE_SHAPE = /^[A-HJ-NP-Z2-9]{4}[\s-]?[A-HJ-NP-Z2-9]{4}$/i;

const REFUSALS: Record<LinkRefusal, string> = {
  unknown: 'I do not know this code. Ask for a new one with /link on your other account.',
  expired: 'This code is older than 10 minutes. Ask for a new one with /link on your other account.',
  own: 'This code is your own. Enter it on your other account, in a direct message to me.',
  taken:
    'This account cannot join the one that showed the code: it belongs to somebody already, or may do more. Send /link here instead and enter what I answer on the other account.',
  'too-many-tries': 'Those were too many wrong codes. Try again in an hour.',
  'not-let-in':
    'This code joins accounts that may write to me already, and this one may not yet. Ask the owner to let it in.',
};

interface Entered {
  text: string;
  /** For the conversation where the code was shown. */
  issuer?: { person: string; address: LinkAddress; note: string };
}

function enter(links: Links, code: string, principal: Principal, isStranger: boolean): Entered {
  const identity = identityText(principal);
  const { person: own, role, name } = principal;
  const outcome = links.redeem(code, { identity, person: own, role, isStranger });
  if (!outcome.ok) return { text: REFUSALS[outcome.reason] };
  const { person, from } = outcome;
  const text =
    `Done: here you are ${plainName(shownPerson(person))} now, as on ${from.identity}, with the same tasks, files and rights. ` +
    'What we were doing there goes on here. /link list shows your accounts.';
  const note =
    `${identity} (${plainName(name)}) entered your code and acts as you from now on. ` +
    `If that was not you, send \`/link remove ${identity}\` at once.`;
  return { text, issuer: { person, address: from.address, note } };
}

/**
 * Somebody the gateway does not know enters a code. Undefined when that is nothing to answer: not the shape of a
 * code, or one wrong code too many. `onLinked` is called once they are let in.
 */
export function redeemAnswer(
  links: Links,
  code: string,
  principal: Principal,
  onLinked?: (person: string, from: LinkAddress, note: string) => void,
): string | undefined {
  if (!CODE_SHAPE.test(code.trim())) return undefined;
  try {
    const { text, issuer } = enter(links, code, principal, true);
    if (issuer) onLinked?.(issuer.person, issuer.address, issuer.note);
    return text === REFUSALS['too-many-tries'] ? undefined : text;
  } catch (error) {
    if (error instanceof UserError) return 'This account cannot be linked at the moment; tell the owner of this bot.';
    throw error;
  }
}

export const link: Command = {
  name: 'link',
  description: 'Be the same person on another platform (/link CODE)',
  argument: {
    name: 'code',
    description: 'The code another account of yours was shown; or list',
    pattern: '^(list|remove \\S+|\\S{4} ?-?\\S{4})$',
  },
  action: 'chat',
  async run(context) {
    const { isDirect, links, principal, shareTask } = context;
    const args = context.args.trim();
    if (!isDirect) {
      // Whoever read it could enter it.
      if (args !== '') links.revoke(args);
      return {
        text: 'Accounts are linked only in a direct message to me; a code that was written here is no longer valid.',
      };
    }
    const [verb = '', rest = ''] = args.split(/\s+/);
    if (verb === '') return showCode(context);
    if (verb.toLowerCase() === 'list') return list(context);
    if (verb.toLowerCase() === 'remove') return remove(context, rest);
    const { text, issuer } = enter(links, args, principal, false);
    if (!issuer) return { text };
    await shareTask(issuer.person, issuer.address);
    await shareTask(issuer.person, context.address);
    return { text, elsewhere: [{ address: issuer.address, text: issuer.note }] };
  },
};

function showCode({ links, principal, address, prefixes }: CommandContext): CommandReply {
  const { code } = links.issue(principal, address);
  const ways = new Map(
    Object.entries(prefixes).map(([channel, prefix]) => [channelName(channel), `${prefix}link ${code}`]),
  );
  const lines = [...ways].map(([name, words]) => `- on ${name}: \`${words}\``);
  return {
    text: `Your code is **${code}**. Whoever enters it acts as you, so enter it yourself, with your other account, only in a direct message to me. It is valid once, for 10 minutes.\n\n${lines.join('\n')}`,
  };
}

const ownIdentities = (principal: Principal): string[] =>
  aliasesOf(principal).filter((text) => !text.startsWith('person:'));

function list({ links, principal }: CommandContext): CommandReply {
  const self = identityText(principal);
  const own = [...new Set([self, ...ownIdentities(principal)])];
  const all = links.links();
  const line = (identity: string) => {
    const known = all.find((entry) => entry.identity === identity);
    const notes = [identity === self ? 'this account' : '', known?.to ? `linked ${known.linkedAt.slice(0, 10)}` : ''];
    const shown = notes.filter(Boolean).join(', ');
    return `- \`${identity}\`${shown ? ` (${shown})` : ''}`;
  };
  const others = principal.role === 'owner' ? all.filter(({ identity }) => !own.includes(identity)) : [];
  const otherLines = others
    .slice(0, SHOWN)
    .map((entry) => `${line(entry.identity)}: ${plainName(shownPerson(entry.person))}`);
  const rest = others.length > 0 ? `\n\nOf others:\n\n${otherLines.join('\n')}` : '';
  return {
    text: `Your accounts:\n\n${own.map(line).join('\n')}\n\n/link shows a code for another one; /link remove and an account takes one away.${rest}`,
  };
}

function remove({ links, principal }: CommandContext, identity: string): CommandReply {
  const typed = `\`${identity.slice(0, 80).replaceAll('`', '')}\``;
  if (identity === '') return { text: 'Which one? /link list shows your accounts.' };
  const own = ownIdentities(principal);
  const isLinked = links.links().some((entry) => entry.identity === identity);
  if (isLinked && (own.includes(identity) || principal.role === 'owner')) {
    links.unlink(identity);
    return { text: `${typed} is on its own again: it no longer sees what you do here.` };
  }
  if (own.includes(identity) && principal.person !== undefined)
    return { text: `${typed} is not linked by a code: the setting \`people\` of the configuration names it.` };
  return { text: `I know no linked account ${typed} of yours. /link list shows them.` };
}
