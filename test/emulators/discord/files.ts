/** Attachments and their signed addresses on the CDN, which are valid for a while and then return 404. */
import { createHash, createHmac } from 'node:crypto';
import { snowflake } from './snowflake.ts';

export interface StoredFile {
  id: string;
  /** The name in the address: only letters, digits, `_`, `-` and `.` are left. */
  name: string;
  /** The original name, if it had to be changed. */
  title: string | null;
  size: number;
  sha256: string;
  contentType: string;
  description: string | null;
  channelId: string;
  bytes: Buffer | undefined;
  /** Fields that only some files have. */
  extra?: Record<string, unknown>;
}

export interface FileStore {
  add(file: Omit<StoredFile, 'id' | 'name' | 'title'> & { name: string }): StoredFile;
  /** A person's file, whose bytes are available. */
  addBytes(channelId: string, name: string, bytes: Buffer, contentType: string, description: string | null): StoredFile;
  get(id: string): StoredFile | undefined;
  url(file: StoredFile): string;
  /** Returns the file at a path and query of the CDN; undefined if the signature is wrong or has expired. */
  find(path: string, query: URLSearchParams): StoredFile | undefined;
  count(): number;
}

const SECRET = 'signs the addresses of this emulator';

function sign(path: string, expires: string, issued: string): string {
  return createHmac('sha256', SECRET).update(`${path}|${expires}|${issued}`).digest('hex');
}

/** Returns the name as Discord uses it in addresses; if nothing of it can be used, only the extension is left. */
export function cleanName(name: string): string {
  const base = (name.split(/[/\\]/).at(-1) ?? '').normalize('NFKD');
  const clean = (text: string) =>
    text
      .trim()
      .replaceAll(/\s+/g, '_')
      .replaceAll(/[^A-Za-z0-9_.-]/g, '');
  const dot = base.lastIndexOf('.');
  const stem = clean(dot > 0 ? base.slice(0, dot) : base).replace(/^[._]+/, '');
  const ending = dot > 0 ? clean(base.slice(dot)) : '';
  const kept = stem || createHash('md5').update(name).digest('hex').slice(0, 16);
  return `${kept.slice(0, 200)}${ending.slice(0, 50)}`.replace(/[._]+$/, '');
}

const unixHex = (ms: number) => Math.floor(ms / 1000).toString(16);

/** `root` is the CDN's address, `linkMs` how long an address is valid. */
export function createFiles(root: () => string, linkMs: number): FileStore {
  const files = new Map<string, StoredFile>();
  const pathOf = (file: StoredFile) => `/attachments/${file.channelId}/${file.id}/${file.name}`;

  const store: FileStore = {
    add(file) {
      const name = cleanName(file.name);
      const title = name === file.name ? null : file.name.replace(/\.[^.]*$/, '');
      const stored: StoredFile = { ...file, id: snowflake(), name, title };
      files.set(stored.id, stored);
      return stored;
    },
    addBytes(channelId, name, bytes, contentType, description) {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      return store.add({ channelId, name, size: bytes.length, sha256, contentType, description, bytes });
    },
    get: (id) => files.get(id),
    url(file) {
      const path = pathOf(file);
      const issued = Date.now();
      // Lifetimes in milliseconds are for tests. Whole seconds would make the shortest of them too long, or zero.
      const expires = linkMs < 1000 ? `${unixHex(issued)}.${(issued + linkMs).toString(16)}` : unixHex(issued + linkMs);
      return `${root()}${path}?ex=${expires}&is=${unixHex(issued)}&hm=${sign(path, expires, unixHex(issued))}&`;
    },
    find(path, query) {
      const [expires, issued, mark] = ['ex', 'is', 'hm'].map((name) => query.get(name) ?? '');
      if (!expires || sign(path, expires, issued ?? '') !== mark) return undefined;
      const [seconds = '', exact] = expires.split('.');
      const until = exact ? Number.parseInt(exact, 16) : Number.parseInt(seconds, 16) * 1000;
      if (until <= Date.now()) return undefined;
      const file = files.get(path.split('/')[3] ?? '');
      return file && pathOf(file) === path ? file : undefined;
    },
    count: () => files.size,
  };
  return store;
}
