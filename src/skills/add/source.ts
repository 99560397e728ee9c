/**
 * Parses a skill's source from what somebody typed. Pure. Invariant: nothing it returns can be taken for an option, or
 * make git run a program: addresses are https (or http, which is fetched only from configured origins) and have a host.
 */
import os from 'node:os';
import path from 'node:path';
import { UserError } from '../../errors.ts';
import { cleanName } from '../../lib/text.ts';
import { MAX_ADDRESS, webAddress } from '../../lib/web-addresses.ts';
import { say } from '../../messages/messages.ts';

export type Source =
  | { kind: 'folder' | 'zip'; path: string }
  | { kind: 'web'; url: string }
  /** `inside`: the folder of the repository to look at. */
  | { kind: 'git'; url: string; ref?: string; inside?: string }
  | { kind: 'npm'; name: string; version?: string };

const NPM = /^(@[a-z0-9~-][\w.~-]{0,100}\/[a-z0-9~-][\w.~-]{0,100}|[a-z0-9~-][\w.~-]{0,100})(?:@([\w.+-]{1,100}))?$/;
const SHORT = /^([A-Za-z0-9][\w-]{0,38}\/[A-Za-z0-9_][\w.-]{0,99})((?:\/[\w.@-]{1,100}){0,9})\/?(?:#(.+))?$/;
const REF = /^[A-Za-z0-9_][\w./-]{0,200}$/;
const ZIP = /\.(zip|skill)$/i;
const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029]/u;

/**
 * @param cwd base of relative paths
 * @throws UserError for anything else, including other ways to name a repository
 */
export function parseSource(typed: string, cwd: string): Source {
  // Chats put an address between angle brackets, and people quote it.
  const text = typed
    .trim()
    .replace(/^<([^|>]*)(\|[^>]*)?>$/, '$1')
    .replace(/^([`'"])(.*)\1$/s, '$2');
  if (text === '' || text.length > MAX_ADDRESS || UNSEEN.test(text)) throw unknown(text);
  if (/^(\/|\.\.?(\/|$)|~(\/|$))/.test(text)) return onDisk(text, cwd);
  if (/^https?:\/\//i.test(text)) return atAddress(text);
  if (/^npm:/i.test(text)) return package_(text.slice(4), text);
  if (text.startsWith('@')) return package_(text, text);
  // Rejected before anything else can interpret it: `ext::sh -c …`, `file:///…`, `ssh://…`, `git@host:…`.
  if (/^[^/]*:/.test(text)) throw new UserError(say('adding.onlyHttps'));
  const [, repository, inside = '', ref] = SHORT.exec(text) ?? [];
  if (repository === undefined) throw unknown(text);
  return repositoryAt(`https://github.com/${repository}`, ref, inside);
}

/** Returns the text to type to name it again, from any folder. */
export function sourceText(source: Source): string {
  switch (source.kind) {
    case 'folder':
    case 'zip':
      return source.path;
    case 'web':
      return source.url;
    case 'npm':
      return `npm:${source.name}${source.version === undefined ? '' : `@${source.version}`}`;
    case 'git': {
      const { url, ref, inside } = source;
      if (ref === undefined && inside === undefined) return url;
      return inside === undefined ? `${url}#${ref}` : `${url}#${ref ?? 'HEAD'}:${inside}`;
    }
  }
}

function onDisk(text: string, cwd: string): Source {
  const file = path.resolve(cwd, text.replace(/^~(?=\/|$)/, os.homedir()));
  return { kind: ZIP.test(file) ? 'zip' : 'folder', path: file };
}

function package_(text: string, typed: string): Source {
  const [, name, version] = NPM.exec(text) ?? [];
  if (name === undefined || name.includes('..')) throw unknown(typed);
  return { kind: 'npm', name, ...(version === undefined ? {} : { version }) };
}

function atAddress(text: string): Source {
  const url = webAddress(text);
  if (!url) throw unknown(text);
  if (url.username !== '' || url.password !== '') throw new UserError(say('adding.noPasswords'));
  const hash = decodeUrlPart(text.includes('#') ? text.slice(text.indexOf('#') + 1) : '');
  const host = url.hostname.replace(/^www\./, '');
  if (ZIP.test(url.pathname)) return { kind: 'web', url: url.href };
  if (host === 'npmjs.com') {
    const [, name = '', version] = /^\/package\/((?:@[^/]+\/)?[^/]+)(?:\/v\/([^/]+))?\/?$/.exec(url.pathname) ?? [];
    return package_(version === undefined ? name : `${name}@${version}`, text);
  }
  const isForge = host === 'github.com' || host === 'gitlab.com';
  // Repository pages, as copied from a browser.
  const [, repository, ref, inside = ''] =
    (isForge && /^(\/.+?)(?:\/-)?\/(?:tree|blob)\/([^/]+)(\/.*)?$/.exec(decodeUrlPart(url.pathname))) || [];
  const bare = `${url.origin}${(repository ?? url.pathname).replace(/\/$/, '')}${url.search}`;
  if (repository !== undefined) return repositoryAt(bare, ref, inside.replace(/\/SKILL\.md$/i, ''));
  const [, named = '', within = ''] = /^([^:]*)(?::(.*))?$/s.exec(hash) ?? [];
  return repositoryAt(bare, named === '' || named === 'HEAD' ? undefined : named, within);
}

function repositoryAt(url: string, ref: string | undefined, folder: string): Source {
  const inside = folder.replace(/^\/+|\/+$/g, '');
  if (ref !== undefined && (!REF.test(ref) || ref.includes('..'))) throw new UserError(say('adding.badRef'));
  if (inside.split('/').some((part) => part === '..')) throw unknown(inside);
  return {
    kind: 'git',
    url,
    ...(ref === undefined ? {} : { ref }),
    ...(inside === '' ? {} : { inside }),
  };
}

function decodeUrlPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

const unknown = (text: string): UserError => new UserError(say('adding.unknownSource', { source: cleanName(text) }));
