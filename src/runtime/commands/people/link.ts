/**
 * /link: makes two accounts one person (promise 39). The code is a key to the account that showed it, so everything
 * happens in direct messages, and that account learns who used it.
 */

import { isMadeName, type Link, type LinkRefusal, type Links } from '../../../access/links.ts';
import { aliasesOf, identityText, type Principal, personText } from '../../../access/principal.ts';
import type { Address } from '../../../channels/channel.ts';
import { channelKind } from '../../../channels/index.ts';
import { UserError } from '../../../errors.ts';
import { viberCommand } from '../../../lib/invocation.ts';
import { lines, type MessageKey, say, type Text, type Wording, words } from '../../../messages/messages.ts';
import { shareTask } from '../../conversations/conversations.ts';
import { channelName, plainName, shownPerson } from '../../conversations/places.ts';
import type { Command, CommandReply, Invocation } from '../command.ts';

const SHOWN = 30;
const CODE_SHAPE = /^[A-HJ-NP-Z2-9]{4}[\s-]?[A-HJ-NP-Z2-9]{4}$/i;

const REFUSALS = {
  unknown: 'pairing.unknownCode',
  expired: 'pairing.expiredCode',
  own: 'pairing.ownCode',
  taken: 'pairing.takenCode',
  'too-many-tries': 'pairing.tooManyTries',
  'not-let-in': 'pairing.notLetInYet',
} as const satisfies Record<LinkRefusal, MessageKey>;

export interface Issuer {
  person: string;
  address: Address;
  note: Wording;
  /** Their conversation isn't bound under a name of an earlier link. */
  isNew: boolean;
}

interface CodeResult {
  said: Wording;
  refusal?: LinkRefusal;
  issuer?: Issuer;
}

async function enter(links: Links, code: string, principal: Principal, isStranger: boolean): Promise<CodeResult> {
  const identity = identityText(principal);
  const { person: own, role, name } = principal;
  const outcome = await links.enter(code, { identity, person: own, role, isStranger });
  if (!outcome.ok) return { said: say(REFUSALS[outcome.reason]), refusal: outcome.reason };
  const { person, from } = outcome;
  const said = say('pairing.linked', { person: plainName(shownPerson(person)), identity: from.identity });
  const note = say('pairing.codeUsed', { identity, name: plainName(name) });
  const isNew = from.person === undefined || !isMadeName(from.person);
  return { said, issuer: { person, address: from.address, note, isNew } };
}

/**
 * Handles a code from somebody the gateway doesn't know. Returns undefined for anything else, and after too many wrong
 * codes.
 * @param onLinked called once they are let in
 */
export async function redeemAnswer(
  links: Links,
  code: string,
  principal: Principal,
  onLinked?: (issuer: Issuer) => void,
): Promise<Wording | undefined> {
  if (!CODE_SHAPE.test(code.trim())) return undefined;
  try {
    const { said, refusal, issuer } = await enter(links, code, principal, true);
    if (issuer) onLinked?.(issuer);
    return refusal === 'too-many-tries' ? undefined : said;
  } catch (error) {
    if (error instanceof UserError) return say('pairing.cannotLink');
    throw error;
  }
}

export const link: Command = {
  name: 'link',
  help: { group: 'here', does: 'does.link' },
  description: 'Be the same person on another platform (/link CODE)',
  argument: {
    name: 'code',
    description: 'The code that your other account shows; or list',
    pattern: '^(list|remove \\S+|\\S{4} ?-?\\S{4})$',
  },
  action: 'chat',
  async run(context) {
    const { gw, isDirect, principal, messages } = context;
    const args = context.args.trim();
    if (!isDirect) {
      // Others may have read the code here and could enter it.
      if (args !== '') gw.people.links.revoke(args);
      return { text: messages.text('pairing.directOnly') };
    }
    const [verb = '', rest = ''] = args.split(/\s+/);
    if (verb === '') return showCode(context);
    if (verb.toLowerCase() === 'list') return replyWithLinks(context);
    if (verb.toLowerCase() === 'remove') return removeLink(context, rest);
    const { said, issuer } = await enter(gw.people.links, args, principal, false);
    const text = messages.said(said);
    if (!issuer) return { text };
    // A person who had a name already has a conversation under it. The earlier task of an account isn't theirs to give
    // away.
    if (issuer.isNew) await shareTask(gw.tasks.conversations, issuer.person, issuer.address);
    await shareTask(gw.tasks.conversations, issuer.person, context.address, principal.person);
    return {
      text,
      elsewhere: [{ address: issuer.address, text: context.gw.say(issuer.address).said(issuer.note) }],
    };
  },
};

function showCode({ gw, principal, address, messages }: Invocation): CommandReply {
  if (!Object.keys(gw.places.prefixes).some(channelKind) && principal.role === 'owner')
    return { text: messages.text('pairing.noChats', { command: viberCommand('init') }) };
  const { code } = gw.people.links.issue(principal, address);
  const ways = new Map(
    Object.entries(gw.places.prefixes).map(([channel, prefix]) => [
      channelName(channel, messages),
      `${prefix}link ${code}`,
    ]),
  );
  const listed = [...ways].map(([channel, command]) => messages.text('pairing.enterOn', { channel, command }));
  return { text: lines(messages.text('pairing.yourCode', { code }), '', ...listed) };
}

/** The names on tasks include accounts that were removed since. */
function ownIdentities(principal: Principal, all: readonly Link[]): string[] {
  const names = aliasesOf(principal);
  const named = names.filter((text) => !text.startsWith('person:') && !all.some(({ identity }) => identity === text));
  const linked = all.filter(({ person, until }) => until === undefined && names.includes(personText(person)));
  return [...named, ...linked.map(({ identity }) => identity)];
}

function replyWithLinks({ gw, principal, messages }: Invocation): CommandReply {
  const self = identityText(principal);
  const all = gw.people.links.links();
  const own = [...new Set([self, ...ownIdentities(principal, all)])];
  const live = all.filter(({ until }) => until === undefined);
  // A separated account has an entry for itself alone.
  const linked = live.filter(({ identity, to }) => to !== undefined || live.some((other) => other.to === identity));
  const line = (identity: string): Text => {
    const known = linked.find((entry) => entry.identity === identity);
    const notes = [
      identity === self ? messages.text('pairing.thisAccount') : '',
      known?.to ? messages.text('pairing.linkedOn', { date: known.linkedAt.slice(0, 10) }) : '',
    ];
    const shown = notes.filter(Boolean).join(', ');
    return words(`- \`${identity}\`${shown ? ` (${shown})` : ''}`);
  };
  const others = principal.role === 'owner' ? linked.filter(({ identity }) => !own.includes(identity)) : [];
  const otherLines = others
    .slice(0, SHOWN)
    .map((entry) => words(`${line(entry.identity)}: ${plainName(shownPerson(entry.person))}`));
  const rest = others.length > 0 ? (['', messages.text('pairing.ofOthers'), '', ...otherLines] as const) : [];
  const yours = [messages.text('pairing.yourAccounts'), '', ...own.map(line), ''] as const;
  return { text: lines(...yours, messages.text('pairing.linkHow'), ...rest) };
}

function removeLink({ gw, principal, messages }: Invocation, identity: string): CommandReply {
  const account = `\`${identity.slice(0, 80).replaceAll('`', '')}\``;
  if (identity === '') return { text: messages.text('pairing.whichAccount') };
  const own = [identityText(principal), ...ownIdentities(principal, gw.people.links.links())];
  if ((own.includes(identity) || principal.role === 'owner') && gw.people.links.unlink(identity))
    return { text: messages.text('pairing.unlinked', { account }) };
  if (own.includes(identity) && principal.person !== undefined)
    return { text: messages.text('pairing.byConfiguration', { account }) };
  return { text: messages.text('pairing.noSuchAccount', { account }) };
}
