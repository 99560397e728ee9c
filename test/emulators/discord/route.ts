/** A table of routes, and the search for a request's route. */
import type { Body } from './body.ts';
import type { Platform } from './platform.ts';

export interface Call {
  platform: Platform;
  params: Record<string, string>;
  query: Record<string, string>;
  body: Body;
}

export interface Route {
  /** Method and path, `GET /channels/:id`. */
  on: string;
  /** Needs no bot token, because its path contains another token. */
  open?: true;
  /** Returns the answer's body; undefined answers 204. Throws ApiError. */
  call(call: Call): unknown;
  /** Status when not 200. */
  status?: number;
}

type Answers = Route['call'];

/** Routes by method and path. */
export type Routes = Record<string, Answers | Omit<Route, 'on'>>;

export const created = (call: Answers) => ({ call, status: 201 });
export const open = (call: Answers) => ({ call, open: true as const });

export interface Found {
  route: Route;
  params: Record<string, string>;
}

export type Finder = (method: string, path: string) => Found | 'other-method' | undefined;

/** Decodes a part of the path. If that fails it stays as it is, and no route matches. */
function decoded(piece: string): string {
  try {
    return piece.includes('%') ? decodeURIComponent(piece) : piece;
  } catch (error) {
    if (error instanceof URIError) return piece;
    throw error;
  }
}

/** Routes are looked up by the number of parts in their path, then part by part; a literal comes before a parameter. */
export function createFinder(routes: Routes): Finder {
  const table = Object.entries(routes).map(([on, made]) => {
    const route: Route = { on, ...(typeof made === 'function' ? { call: made } : made) };
    const [method = '', path = ''] = on.split(' ');
    return { route, method, pieces: path.split('/') };
  });
  const byLength = Map.groupBy(table, (each) => each.pieces.length);

  function match(pieces: string[], real: string[]): Record<string, string> | undefined {
    const params: Record<string, string> = {};
    for (const [index, piece] of pieces.entries()) {
      const value = real[index] ?? '';
      if (piece.startsWith(':') && value !== '') params[piece.slice(1)] = value;
      else if (piece !== value) return undefined;
    }
    return params;
  }

  return (method, path) => {
    const real = path.split('/').map(decoded);
    let isPath = false;
    for (const each of byLength.get(real.length) ?? []) {
      const params = match(each.pieces, real);
      if (!params) continue;
      if (each.method === method) return { route: each.route, params };
      isPath = true;
    }
    return isPath ? 'other-method' : undefined;
  };
}
